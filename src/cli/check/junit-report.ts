import type { Outcome, Severity } from '../../guardrails/index.js';
import { type Report, reasonOf, stopsBuild, type TraceResult } from './result.js';
import type { Writer } from './writer.js';

/** JUnit XML: a suite for each trace, with a case for each guardrail. A violation that does not stop the build is a case that passed and says so. */
export function junitReport(out: Writer, failOn: Severity): Report {
  let begun = false;
  const begin = (): string => {
    const text = begun ? '' : '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="packhost check">\n';
    begun = true;
    return text;
  };
  return {
    add: (result) => out.write(begin() + suite(result, failOn)),
    end: async () => {
      await out.write(`${begin()}</testsuites>\n`);
      await out.end();
    },
  };
}

function suite(result: TraceResult, failOn: Severity): string {
  const place = `${result.file}:${result.line}`;
  if (result.kind === 'unreadable') {
    return `<testsuite name="${escape(place)}" tests="1" failures="0" errors="1" skipped="0"><testcase classname="${escape(place)}" name="is a trace"><error message="${escape(result.problem)}"/></testcase></testsuite>\n`;
  }
  const cases = result.outcomes.map((outcome) => ({ outcome, element: element(outcome, failOn) }));
  const count = (name: string): number => cases.filter(({ element }) => element.startsWith(`<${name}`)).length;
  const name = result.runId === undefined ? place : `${place} ${result.runId}`;
  const attributes = `name="${escape(name)}" tests="${cases.length}" failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}"`;
  return `<testsuite ${attributes}>\n${cases.map(({ outcome, element }) => `<testcase classname="${escape(place)}" name="${escape(outcome.guardrailId)}">${element}</testcase>\n`).join('')}</testsuite>\n`;
}

function element(outcome: Outcome, failOn: Severity): string {
  const reason = escape(reasonOf(outcome));
  switch (outcome.kind) {
    case 'skip':
      return `<skipped message="${reason}"/>`;
    case 'error':
      return `<error type="${escape(outcome.code)}" message="${reason}"/>`;
    case 'ok':
      if (outcome.passed) return '';
      return stopsBuild(outcome, failOn) ? `<failure type="${escape(outcome.action)}" message="${reason}"/>` : `<system-out>${escape(outcome.action)}: ${reason}</system-out>`;
  }
}

/** What XML 1.0 cannot carry even escaped becomes a replacement character. */
function escape(text: string): string {
  return text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd')
    .replace(/[&<>"\n\r\t]/g, (character) => `&#${character.charCodeAt(0)};`);
}

import type { Outcome, Severity } from '../../guardrails/index.js';
import { reasonOf, type Report, stopsBuild, type TraceResult, verdictName } from './result.js';
import type { Writer } from './writer.js';

/** Results that come this close together, in milliseconds, are written together, up to so many characters: each write wakes whoever reads the pipe. */
const togetherMs = 100;
const togetherLength = 65_536;

/** One JSON document: `results` in the order of the traces, one a line, then the `totals`. It is written as it comes. */
export function jsonReport(out: Writer): Report {
  let separator = '{"results":[\n';
  let gathered = '';
  let writtenAt = -Infinity;
  const write = async (): Promise<void> => {
    const text = gathered;
    gathered = '';
    writtenAt = performance.now();
    await out.write(text);
  };
  return {
    async add(result) {
      gathered += `${separator}${JSON.stringify(result)}`;
      separator = ',\n';
      if (gathered.length >= togetherLength || performance.now() - writtenAt >= togetherMs) await write();
    },
    async end(totals) {
      gathered += `${separator.startsWith('{') ? separator : '\n'}],"totals":${JSON.stringify({ ...totals, buildMustStop: totals.stopping > 0 })}}\n`;
      await write();
    },
  };
}

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
    return `<testsuite name="${escapeXml(place)}" tests="1" failures="0" errors="1" skipped="0"><testcase classname="${escapeXml(place)}" name="is a trace"><error message="${escapeXml(result.problem)}"/></testcase></testsuite>\n`;
  }
  const cases = result.outcomes.map((outcome) => ({ outcome, element: element(outcome, failOn) }));
  const count = (name: string): number => cases.filter(({ element }) => element.startsWith(`<${name}`)).length;
  const name = result.runId === undefined ? place : `${place} ${result.runId}`;
  const attributes = `name="${escapeXml(name)}" tests="${cases.length}" failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}"`;
  return `<testsuite ${attributes}>\n${cases.map(({ outcome, element }) => `<testcase classname="${escapeXml(place)}" name="${escapeXml(outcome.guardrailId)}">${element}</testcase>\n`).join('')}</testsuite>\n`;
}

function element(outcome: Outcome, failOn: Severity): string {
  const reason = escapeXml(reasonOf(outcome));
  switch (outcome.kind) {
    case 'skip':
      return `<skipped message="${reason}"/>`;
    case 'error':
      return `<error type="${escapeXml(outcome.code)}" message="${reason}"/>`;
    case 'ok':
      if (outcome.passed) return '';
      return stopsBuild(outcome, failOn) ? `<failure type="${escapeXml(outcome.action)}" message="${reason}"/>` : `<system-out>${escapeXml(outcome.action)}: ${reason}</system-out>`;
  }
}

/** What XML 1.0 cannot carry even escaped becomes a replacement character. */
function escapeXml(text: string): string {
  return text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd')
    .replace(/[&<>"\n\r\t]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** GitHub shows ten of each kind for a step; a few more end up in its log. */
const mostAnnotations = 50;

/** Annotations at the place of each trace, as GitHub's workflow commands: errors for what stops the build, warnings for other violations. */
export function githubReport(out: Writer, failOn: Severity): Report {
  let written = 0;
  const annotate = async (level: 'error' | 'warning', file: string, line: number, title: string, message: string): Promise<void> => {
    if (written++ < mostAnnotations) await out.write(`::${level} file=${commandProperty(file)},line=${line},title=${commandProperty(title)}::${commandData(message)}\n`);
  };
  return {
    async add(result) {
      const { file, line } = result;
      if (result.kind === 'unreadable') return annotate('error', file, line, 'Unreadable trace', result.problem);
      for (const outcome of result.outcomes) {
        const verdict = verdictName(outcome);
        if (verdict === 'passed' || verdict === 'skipped') continue;
        await annotate(stopsBuild(outcome, failOn) ? 'error' : 'warning', file, line, `Guardrail ${outcome.guardrailId}`, reasonOf(outcome) || 'It failed.');
      }
    },
    async end() {
      if (written > mostAnnotations) await out.write(`::notice::${written - mostAnnotations} more annotations are left out.\n`);
    },
  };
}

// https://docs.github.com/actions/reference/workflow-commands-for-github-actions
function commandData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function commandProperty(text: string): string {
  return commandData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

import type { Severity } from '../../guardrails/index.js';
import { type Report, reasonOf, stopsBuild, verdictName } from './result.js';
import type { Writer } from './writer.js';

/** GitHub shows ten of each kind for a step; a few more end up in its log. */
const mostAnnotations = 50;

/** Annotations at the place of each trace, as GitHub's workflow commands: errors for what stops the build, warnings for other violations. */
export function githubReport(out: Writer, failOn: Severity): Report {
  let written = 0;
  const annotate = async (level: 'error' | 'warning', file: string, line: number, title: string, message: string): Promise<void> => {
    if (written++ < mostAnnotations) await out.write(`::${level} file=${property(file)},line=${line},title=${property(title)}::${data(message)}\n`);
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
function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

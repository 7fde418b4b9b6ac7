import type { CheckAnswer, ToolAnswer } from '../client/index.js';
import { faultOf } from '../protocol/parse-response.js';

/** How `packhost call` ends, by kind of fault. */
export const exitCodes = {
  answered: { code: 0, when: 'The tool answered, or the check passed.' },
  failedCheck: { code: 1, when: 'The check did not pass.' },
  unusable: { code: 2, when: 'The command line cannot be used.' },
  caller: { code: 3, when: "The call was at fault: there is no such tool, or its input is not valid." },
  pack: { code: 4, when: 'The pack was at fault: its code threw, or answered what its schema does not allow.' },
  ended: { code: 5, when: 'The deadline passed, or the call was cancelled.' },
  service: { code: 6, when: 'The service refused the call, could not be reached, or could not be started.' },
  paused: { code: 7, when: 'The tool waits for another system: there is no output yet.' },
} as const;

/** The exit code of an answer. */
export function exitCodeOf(answer: ToolAnswer | CheckAnswer): number {
  switch (answer.kind) {
    case 'result':
      return exitCodes.answered.code;
    case 'check-result':
      return answer.result.passed ? exitCodes.answered.code : exitCodes.failedCheck.code;
    case 'pause':
      return exitCodes.paused.code;
    case 'error':
      if (answer.code === 'deadline-exceeded' || answer.code === 'cancelled') return exitCodes.ended.code;
      return exitCodes[faultOf(answer)].code;
  }
}

/** What v1 answers in a case: what its step says, else what the fixtures say. */
import type { AnswerFields, StepFields } from './case-schema';
import type { Fixtures } from './cases';
import type { Script } from './scripted-v1';

export interface CaseScript {
  readonly answer: Script;
  /** From now on v1 answers as this step says. */
  begin(step: StepFields): void;
}

const CATALOG = 'GET /catalog';
const RECEIPT = 'GET /receipt';

export function createCaseScript(fixtures: Fixtures): CaseScript {
  let step: StepFields | undefined;
  let answered = 0;
  let hasSent = false;

  const ownAnswer = (endpoint: string): AnswerFields | undefined => {
    const upstream = step?.upstream;
    if (upstream === undefined) return undefined;
    if (Array.isArray(upstream)) return upstream[Math.min(answered++, upstream.length - 1)];
    return isByEndpoint(upstream) ? upstream[endpoint] : upstream;
  };

  return {
    begin(next) {
      step = next;
      answered = 0;
      hasSent = false;
    },
    answer({ endpoint, isPurchase }) {
      if (isPurchase) hasSent = true;
      const byEndpoint = isByEndpoint(step?.upstream) ? step.upstream[endpoint] : undefined;
      if (byEndpoint !== undefined) return byEndpoint;
      if (endpoint === CATALOG) return catalogAnswer(step?.catalog ?? fixtures.catalog);
      if (endpoint === RECEIPT && step?.receipt !== undefined) return step.receipt;
      // Once a purchase is sent, `upstream` is the answer to it and to nothing else.
      const own = isPurchase || !hasSent ? ownAnswer(endpoint) : undefined;
      return own ?? fixtures.answers[endpoint] ?? 'lost';
    },
  };
}

function isByEndpoint(upstream: StepFields['upstream']): upstream is Record<string, AnswerFields> {
  return (
    typeof upstream === 'object' && !Array.isArray(upstream) && Object.keys(upstream).some((key) => /^(?:GET|POST) \//.test(key))
  );
}

function catalogAnswer(catalog: StepFields['catalog']): AnswerFields {
  return catalog === undefined || catalog === 'none' ? 'unreachable' : { status: 'success', data: catalog };
}

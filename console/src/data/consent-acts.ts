import type { Consent } from './record-types.ts'
import { parseDate } from './text/local-time.ts'

/** Entries that one act has made follow each other within this time. */
const ACT_MS = 2_000

const isSameAct = (one: Consent, other: Consent) =>
  Math.abs(parseDate(one.created) - parseDate(other.created)) < ACT_MS &&
  (['event', 'source', 'message', 'said', 'shown', 'given_at', 'entered_by'] as const).every(
    (field) => one[field] === other[field],
  )

/** Groups entries of the ledger, sorted by time: a word that a person texted may make several. */
export function groupActs(entries: readonly Consent[]): Consent[][] {
  const acts: Consent[][] = []
  for (const entry of entries) {
    const last = acts.at(-1)
    if (last && isSameAct(last[0]!, entry)) last.push(entry)
    else acts.push([entry])
  }
  return acts
}

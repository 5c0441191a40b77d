import type { Consent, ConsentState } from '../record-types.ts'

/** A state of consent with the statement that decides it: `expand` is `entry`. */
export type DecidedState = Pick<
  ConsentState,
  'number' | 'group' | 'purpose' | 'state' | 'since' | 'until'
> & {
  readonly expand?: {
    readonly entry?: Pick<Consent, 'event' | 'source' | 'given_at'>
  }
}

/** The filter of the states that opt a number out of all texts. */
export const STOPPED = 'group = "" && purpose = "all" && state = "stopped"'

const BY_TEXT: readonly string[] = ['keyword', 'reply']

/**
 * Whether a number without a contact has opted out of all texts, by its rows of `consent_states`. It has
 * not if the person has joined a group since, or is asked to confirm that (`consent_rejoined` in the
 * server's SQL). `now`: a date as records have it.
 */
export function hasStopped(states: readonly DecidedState[], now: string): boolean {
  const stop = states.find(
    ({ group, purpose, state }) => group === '' && purpose === 'all' && state === 'stopped',
  )
  if (!stop) return false
  return !states.some(({ group, state, until, expand }) => {
    const { event, source = '', given_at = '' } = expand?.entry ?? {}
    if (group === '') return false
    if (state === 'asked') return source === 'keyword' && until > now
    const isSaid = event === 'confirmed' || BY_TEXT.includes(source)
    return state === 'given' && isSaid && (given_at === '' || given_at >= stop.since)
  })
}

/** The present time as a date of a record. */
export const formatRecordTime = (ms: number): string => new Date(ms).toISOString().replace('T', ' ')

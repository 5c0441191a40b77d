import { t } from '../../language/words.ts'
import type { Choices } from '../choices.ts'

/** Parts of a carrier's fault, and what they mean. Presets name these codes. The first match counts. */
const REFUSALS: Choices<RegExp> = [
  [/\bREJECTED_SOURCE\b/, t('The sender is not registered with the carrier.')],
  [/^The carrier cannot be reached/, t('The carrier cannot be reached.')],
  [
    /\b(21606|21659|21660|line_not_found|line_ambiguous)\b/,
    t('The sender does not belong to this account of the carrier.'),
  ],
  [
    /\b(402|quota_exceeded)\b|credit|balance|insufficient/i,
    t('The account has no credit left, or its quota is used up.'),
  ],
  [/\b(20005|30002|account_disabled)\b|suspended/i, t('The carrier has disabled the account.')],
  [/\b(401|20003|20008)\b/, t('The carrier does not accept the credentials.')],
  [/\b403\b/, t('The carrier does not allow this account to send.')],
  [/\b(404|405|410|30\d)\b/, t('There is no interface at this address.')],
  [/private|not public|https/i, t('The server may not send requests to this address.')],
]

const BEGINNING = /^The carrier (refused it|cannot be reached): /

/** Why a carrier refuses its account: in plain words, and in the carrier's. */
export function explainCarrierFault(fault: string): {
  readonly words: string
  readonly said: string
} {
  const said = fault.replace(BEGINNING, '')
  const words = REFUSALS.find(([pattern]) => pattern.test(fault))?.[1]
  return { words: words ?? t('The carrier refuses the account.'), said }
}

/** Words of carriers about a number or name that is not registered: a table of docs/carriers.md. */
const UNREGISTERED =
  /^The carrier (?:did not deliver|refused) it: .*\b(?:30024|30032|30034|40010|40329|40330|EC_CAMPAIGNID_NOT_PROVISIONED|EC_CAMPAIGN_ID_REJECTED)\b/s

/** Advice about a text that failed because its sender is not registered; '' for others. */
export const findRegistrationAdvice = (errorMessage: string): string =>
  UNREGISTERED.test(errorMessage)
    ? t(
        'The number that sent it is not registered for this country. Register it with the carrier; until then its texts fail there.',
      )
    : ''

export const describeRefusal = (fault: string): string => {
  const { words, said } = explainCarrierFault(fault)
  return `${words} ${t('In detail: {said}', { said })}`
}

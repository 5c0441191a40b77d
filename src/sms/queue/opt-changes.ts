import { sql } from 'kysely'
import type { Store } from '../../collections/catalog.ts'
import type { Db } from '../../db/open.ts'
import { anyOf, queries } from '../../db/queries.ts'
import { formatDate } from '../../fields/date.ts'
import { type OptWords, readOptWord } from '../../portable/opt-words.ts'

/** An opt-out or opt-in. `at`: its time by the device's clock, in ms since 1970. `said`: its text. */
export interface OptChange {
  readonly sender: string
  readonly isOut: boolean
  readonly at: number
  readonly said: string
  /** The id of the message. */
  readonly message: string
  /** The group that the text joins. */
  readonly group?: string | undefined
}

/**
 * Drops opt-ins that are older than a stored opt-out of the same sender: a text may arrive after a newer one,
 * and after the person or the account has entered an opt-out otherwise.
 */
export async function latestOptChanges<Change extends OptChange>(
  store: Store,
  user: string,
  said: readonly Change[],
  words: OptWords,
): Promise<readonly Change[]> {
  const starts = said.filter(({ isOut }) => !isOut)
  if (starts.length === 0) return said
  const first = formatDate(new Date(Math.min(...starts.map(({ at }) => at))))
  const senders = starts.map(({ sender }) => sender)
  const later = await queries(store.db)
    .selectFrom('sms_messages')
    .select(['from', 'body', 'delivered_at'])
    .where('user', '=', user)
    .where('message_type', '=', sql.lit('incoming'))
    .where('from', '=', anyOf(senders))
    .where('created', '>', first)
    .where('delivered_at', '>', first)
    .execute()
  const stops = later.filter(({ body }) => readOptWord(body, words))
  const entered = await stopsEntered(store.db, user, senders, first)
  const isOld = ({ sender, isOut, at, group }: OptChange) => {
    const date = formatDate(new Date(at))
    return (
      !isOut &&
      (stops.some((stop) => stop.from === sender && stop.delivered_at > date) ||
        entered.some((stop) => stop.number === sender && (stop.of ?? group) === group && stop.since > date))
    )
  }
  return said.filter((one) => !isOld(one))
}

/** Present opt-outs since `first`, but for those of texts. `of`: the group; null for all purposes. */
const stopsEntered = (db: Db, user: string, numbers: readonly string[], first: string) =>
  queries(db)
    .selectFrom('consent_states as s')
    .innerJoin('consents as e', 'e.id', 's.entry')
    .select(['s.number', 's.since', sql<string | null>`nullif(s."group", '')`.as('of')])
    .where('s.user', '=', user)
    .where('s.number', '=', anyOf(numbers))
    .where('s.state', '=', sql.lit('stopped'))
    .where('s.since', '>', first)
    .where('e.source', '<>', sql.lit('keyword'))
    .where(sql<boolean>`(s."group" <> '' or s.purpose = 'all')`)
    .execute()

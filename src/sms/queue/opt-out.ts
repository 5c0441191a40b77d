import type { Store } from '../../collections/catalog.ts'
import { formatDate } from '../../fields/types/date.ts'
import { E164 } from '../send/phone.ts'
import { logChanged } from '../status/change-log.ts'

/** Opt-out and opt-in words, in upper case. */
export interface OptWords {
  readonly out: readonly string[]
  readonly in: readonly string[]
}

/** True: wants no more texts. False: wants them again. Undefined: the text is none of the words alone. */
export function readOptWord(body: string, words: OptWords): boolean | undefined {
  const text = body.trim()
  let end = text.length
  // no expression: of 39,000 marks with a letter behind them one took 1.4 s
  while (end > 0 && '.!'.includes(text[end - 1]!)) end--
  const word = text.slice(0, end).toUpperCase()
  if (words.out.includes(word)) return true
  return words.in.includes(word) ? false : undefined
}

/** An opt-out or opt-in, and when by the device's clock, in ms since 1970. */
export interface OptChange {
  readonly sender: string
  readonly isOut: boolean
  readonly at: number
}

const LATER = `
select "from", body, delivered_at from sms_messages
where "user" = $1 and message_type = 'incoming' and "from" = any($2::text[]) and created > $3 and delivered_at > $3`

/** Drops opt-ins that a later stop overrides: texts may arrive out of order. */
export async function latestOptChanges(
  store: Store,
  user: string,
  said: readonly OptChange[],
  words: OptWords,
): Promise<readonly OptChange[]> {
  const starts = said.filter(({ isOut }) => !isOut)
  if (starts.length === 0) return said
  const first = formatDate(new Date(Math.min(...starts.map(({ at }) => at))))
  const { rows } = await store.db.query(LATER, [user, starts.map(({ sender }) => sender), first])
  const stops = (rows as [string, string, string][]).filter(([, body]) => readOptWord(body, words))
  const isOld = ({ sender, isOut, at }: OptChange) =>
    !isOut && stops.some(([from, , stopped]) => from === sender && stopped > formatDate(new Date(at)))
  return said.filter((one) => !isOld(one))
}

const OPT_OUT = `
insert into contacts (id, "user", phone, opted_out, created, updated)
values (pb_new_id(), $1, $2, true, pb_text(now()), pb_text(now()))
on conflict ("user", phone) do update set opted_out = true, updated = excluded.updated where not contacts.opted_out
returning id, xmax = 0`

const OPT_IN = `
update contacts set opted_out = false, updated = pb_text(now())
where "user" = $1 and phone = $2 and opted_out returning id, false`

/** Notes whether a number wants texts of a user; makes a contact for an opt-out. */
export async function setOptedOut(store: Store, user: string, phone: string, isOut: boolean): Promise<void> {
  if (!E164.test(phone)) return // no contact has another
  const { rows } = await store.db.query(isOut ? OPT_OUT : OPT_IN, [user, phone])
  for (const [id, isNew] of rows)
    await logChanged(store, 'contacts', isNew ? 'create' : 'update', [String(id)])
}

/** SQL: the recipient of a message (alias of sms_dispatch) has opted out. Looked up per row. */
export const isOptedOut = (alias: string): string => `coalesce((
  select bool_or(c.opted_out) from sms_messages o join contacts c on c."user" = o."user" and c.phone = o."to"
  where o.id = ${alias}.message), false)`

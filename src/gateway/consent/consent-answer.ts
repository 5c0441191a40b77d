import { sql } from 'kysely'
import type { Store } from '../../engine/collections/catalog.ts'
import { ApiError, GatewayError } from '../../platform/api-errors.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import type { TextWithSubject } from '../../portable/written-words.ts'
import { requireDestinations } from '../codes/limits/code-destinations.ts'
import { beginPause, countCodes } from '../codes/limits/count-codes.ts'
import type { AcceptConfig } from '../messages/send/store-offers.ts'
import { readSpoken, SPOKEN } from './account-languages.ts'
import { fillNames, renderConsentText } from './consent-texts.ts'
import { isHelp } from './consent-words.ts'

/** A number is asked to confirm at most once in this time. */
export const PAUSE_SECONDS = 60

interface Received extends TextWithSubject {
  readonly id: string
  readonly user: string
  readonly from: string
}

/** An answer. `id`: that of its message, if it asks the person to confirm; '' for a new one. */
interface ConsentAnswer {
  readonly id: string
  readonly body: string
}

/**
 * The answer to a text that joined a group, confirmed or asked for help; undefined for other texts. Call it
 * in a transaction. A question counts as a code of Verify: above the limits of its number or its account, the
 * text gets no question.
 */
export async function makeConsentAnswer(
  store: Store,
  config: AcceptConfig,
  received: Received,
): Promise<ConsentAnswer | undefined> {
  const { id, user, from } = received
  const { db } = store
  const joined = await loadJoinedGroup(db, user, id)
  if (!joined) {
    const help = isHelp(received) ? await loadHelpText(db, user) : undefined
    return help === undefined ? undefined : { id: '', body: help }
  }
  const names = { account: joined.account || joined.name, group: joined.name }
  if (joined.state === 'given')
    return { id: '', body: renderConsentText('joined', readSpoken(joined.spoken), names) }
  if (!joined.asks) return undefined
  try {
    await requireDestinations(store, user, [from])
    await beginPause(db, user, from, PAUSE_SECONDS, 'word')
    await countCodes(store, config, { asker: 'word', user, phones: [from], ip: '' })
  } catch (error) {
    // a limit, or a country without codes: the job shall not try again
    if (error instanceof GatewayError || error instanceof ApiError) return undefined
    throw error
  }
  const own = joined.join_text
  return {
    id: joined.entry,
    body: own ? fillNames(own, names) : renderConsentText('ask', readSpoken(joined.spoken), names),
  }
}

/** The group that the text `message` joined or confirmed, and the present state of its sender there. */
const loadJoinedGroup = (db: Db, user: string, message: string) =>
  queries(db)
    .selectFrom('consents as e')
    .innerJoin('contact_groups as g', 'g.id', 'e.group')
    .innerJoin('users as u', 'u.id', 'e.user')
    .innerJoin('consent_states as s', (join) =>
      join
        .onRef('s.user', '=', 'e.user')
        .onRef('s.number', '=', 'e.number')
        .onRef('s.group', '=', 'e.group'),
    )
    .leftJoin('user_settings as o', 'o.user', 'e.user')
    .select([
      'e.id as entry',
      'g.name',
      'g.join_text',
      's.state',
      sql<string>`account_name(u.id)`.as('account'),
      SPOKEN.as('spoken'),
    ])
    .select(sql<boolean>`s.until <> ''`.as('asks'))
    .where('e.message', '=', message)
    .where('e.message', '<>', sql.lit(''))
    .where('e.user', '=', user)
    .executeTakeFirst()

/** The text for help, with the names of groups that people join by themselves; undefined without one. */
async function loadHelpText(db: Db, user: string): Promise<string | undefined> {
  const groups = await queries(db)
    .selectFrom('contact_groups as g')
    .innerJoin('users as u', 'u.id', 'g.user')
    .leftJoin('user_settings as o', 'o.user', 'g.user')
    .select(['g.name', sql<string>`account_name(u.id)`.as('account'), SPOKEN.as('spoken')])
    .where('g.user', '=', user)
    .where(({ or, eb }) => or([eb('g.join_words', '<>', ''), eb('g.join_page', '=', true)]))
    .orderBy('g.created')
    .limit(sql.lit(MAX_NAMED))
    .execute()
  const [first] = groups
  if (!first) return undefined
  const group = groups.map(({ name }) => name).join(', ')
  return renderConsentText('helped', readSpoken(first.spoken), {
    account: first.account || first.name,
    group,
  })
}

/** Groups that a text for help names, at most. */
const MAX_NAMED = 3

import { sql } from 'kysely'
import { matchAny } from '../../platform/db/queries.ts'
import { type Person, writePersonCondition } from './person.ts'
import {
  containsNumber,
  DATES,
  listNames,
  makePlace,
  type Place,
  removeNumber,
  unnestJsonTexts,
} from './personal-table.ts'

/** A campaign to this person alone: its text is about the person. */
const isOnlyRecipient = ({ forms }: Person) =>
  sql<boolean>`(t.recipients::jsonb = any(array(select jsonb_build_array(f) from unnest(${forms}::text[]) f))
    and t.groups = '{}')`
const keepIfShared = (column: string, value: string) => (person: Person) =>
  sql`case when ${isOnlyRecipient(person)} then ${sql.lit(value)} else ${sql.ref(`t.${column}`)} end`

/**
 * Calls of hooks that name the person, or whose texts went to the person, and campaigns. An erasure empties
 * these places first: later the texts name no person, and a campaign that runs adds no more.
 */
export const PLACES_OF_CALLS: readonly Place[] = [
  makePlace({
    table: 'hook_calls',
    title: 'Calls of hooks',
    rows: (
      person,
    ) => sql`(t."user" = ${person.user} and (${containsNumber(person, 'body', 'texts', 'error')}
      or exists (select from ${unnestJsonTexts('messages')} join sms_messages m on m.id = e.one
        where ${writePersonCondition(person)})))`,
    shown: ['id', 'hook', 'body', 'outcome', 'error', 'texts', 'created'],
    erasure: 'delete',
    logged: { body: '', error: '', texts: [] },
  }),
  makePlace({
    isShared: true,
    table: 'campaigns',
    title: 'Campaigns',
    rows: (person) => sql`(t."user" = ${person.user} and (${listNames('recipients', person)}
      or ${listNames('audience', person)} or ${listNames('without_consent', person)}))`,
    shown: ['id', 'name', 'body', 'status', 'scheduled_at', ...DATES],
    erasure: {
      name: keepIfShared('name', ''),
      body: keepIfShared('body', ''),
      variables: keepIfShared('variables', 'null'),
      recipients: removeNumber('recipients'),
      // keeps its place: messages are stored by portions of the list
      audience: ({
        forms,
      }) => sql`(select coalesce(json_agg(case when e.one = ${matchAny(forms)} then '' else e.one end), '[]')
        from ${unnestJsonTexts('audience')})`,
      without_consent: removeNumber('without_consent'),
    },
    logged: {
      name: '',
      body: '',
      variables: null,
      recipients: [],
      audience: [],
      without_consent: [],
    },
  }),
]

import { sql } from 'kysely'
import { matchAny } from '../../platform/db/queries.ts'
import {
  DATES,
  listNames,
  makePlace,
  makeRecordStep,
  matchNumber,
  type Person,
  type PersonalData,
  removeNumber,
  unnestJsonTexts,
} from '../base/personal-data.ts'

/** A campaign to this person alone: its text is about the person. */
const isOnlyRecipient = ({ forms }: Person) =>
  sql<boolean>`(t.recipients::jsonb = any(array(select jsonb_build_array(f) from unnest(${forms}::text[]) f))
    and t.groups = '{}')`
const keepIfShared = (column: string, value: string) => (person: Person) =>
  sql`case when ${isOnlyRecipient(person)} then ${sql.lit(value)} else ${sql.ref(`t.${column}`)} end`

export const CAMPAIGN_DATA: PersonalData = {
  places: [
    makePlace({
      isShared: true,
      table: 'campaigns',
      title: 'Campaigns',
      phase: 'first',
      rows: (person) => sql`(t."user" = ${person.user} and (${listNames('recipients', person)}
        or ${listNames('audience', person)} or ${listNames('without_consent', person)}))`,
      shown: ['id', 'name', 'body', 'subject', 'attachments', 'status', 'scheduled_at', ...DATES],
      onPage: ['name', 'body', 'subject', 'attachments', 'status', 'scheduled_at', 'created'],
      erasure: {
        name: keepIfShared('name', ''),
        body: keepIfShared('body', ''),
        variables: keepIfShared('variables', 'null'),
        subject: keepIfShared('subject', ''),
        attachments: keepIfShared('attachments', '{}'),
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
        subject: '',
        attachments: [],
        recipients: [],
        audience: [],
        without_consent: [],
      },
    }),
    makePlace({
      table: 'campaign_recipients',
      title: 'Rows of lists',
      phase: 'first',
      rows: matchNumber('to'),
      shown: ['id', 'campaign', 'line', 'to', 'values', 'message', 'reason', ...DATES],
      onPage: ['created', 'to', 'values', 'reason'],
      erasure: 'records',
      logged: { to: '', values: null, reason: '' },
    }),
  ],
  mentions: [
    makeRecordStep('campaigns', [
      'name',
      'body',
      'subject',
      'variables',
      'error',
      'filter',
      'reminder',
    ]),
    makeRecordStep('campaign_recipients', ['to', 'values', 'reason']),
  ],
}

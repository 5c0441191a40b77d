import { sql } from 'kysely'
import {
  containsNumber,
  listNames,
  makePlace,
  makeRecordStep,
  type PersonalData,
  removeNumber,
  unnestJsonTexts,
  writePersonCondition,
} from '../base/personal-data.ts'

export const HOOK_DATA: PersonalData = {
  places: [
    makePlace({
      table: 'hook_calls',
      title: 'Calls of hooks',
      phase: 'first',
      rows: (
        person,
      ) => sql`(t."user" = ${person.user} and (${containsNumber(person, 'body', 'texts', 'error')}
        or exists (select from ${unnestJsonTexts('messages')} join sms_messages m on m.id = e.one
          where ${writePersonCondition(person)})))`,
      shown: ['id', 'hook', 'body', 'outcome', 'error', 'texts', 'created'],
      // the texts of a call have the numbers of its other recipients
      onPage: ['created', 'hook', 'body', 'outcome', 'error'],
      erasure: 'delete',
      logged: { body: '', error: '', texts: [] },
    }),
    makePlace({
      isShared: true,
      table: 'hooks',
      title: 'Hooks that text the number',
      rows: (person) => sql`(t."user" = ${person.user} and ${listNames('recipients', person)})`,
      shown: ['id', 'name'],
      onPage: ['name'],
      erasure: { recipients: removeNumber('recipients') },
      logged: { recipients: [] },
    }),
  ],
  mentions: [makeRecordStep('hooks', ['name'])],
  noPlaces: { hook_once: 'hashes of events', hook_windows: 'counts, and ids of texts' },
}

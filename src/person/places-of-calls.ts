import { sql } from 'kysely'
import { isOfPerson } from './person.ts'
import { names, type Place, place, textsIn } from './place.ts'

/**
 * Calls of hooks that name the person, or whose texts went to the person. An erasure empties this place
 * first: later the texts name no person.
 */
export const PLACES_OF_CALLS: readonly Place[] = [
  place({
    ...{ table: 'hook_calls', title: 'Calls of hooks' },
    rows: (person) => sql`(t."user" = ${person.user} and (${names(person, 'body', 'texts', 'error')}
      or exists (select from ${textsIn('messages')} join sms_messages m on m.id = e.one
        where ${isOfPerson(person)})))`,
    shown: ['id', 'hook', 'body', 'outcome', 'error', 'texts', 'created'],
    erasure: 'delete',
    logged: { body: '', error: '', texts: [] },
  }),
]

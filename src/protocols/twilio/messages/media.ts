import { z } from 'zod'
import type { Store } from '../../../collections/catalog.ts'
import { describePage, PAGE, PAGE_PARAMETERS, readPage } from '../paging.ts'
import { type Parameters, refuseUnknown } from '../parameters.ts'
import { sidOf } from '../sid.ts'
import { findMessage } from './message.ts'

/** The media of a message: there are none. */
export const MEDIA = PAGE.extend({ media_list: z.array(z.never()) }).meta({ id: 'TwilioMedia' })

const KNOWN: ReadonlySet<string> = new Set([
  'DateCreated',
  'DateCreated<',
  'DateCreated>',
  ...PAGE_PARAMETERS,
])

/** The empty list of a message's media. Throws 404 for a message that is not the user's. */
export async function listMedia(
  store: Store,
  user: string,
  sid: string,
  parameters: Parameters,
): Promise<z.output<typeof MEDIA>> {
  const { id } = await findMessage(store, user, sid)
  refuseUnknown(parameters, KNOWN)
  const page = readPage(parameters, 'SM')
  const path = `/Messages/${sidOf('SM', id)}/Media.json`
  const place = { accountSid: sidOf('AC', user), path, kind: 'SM' } as const
  const content = { ids: [], hasOlder: false, hasNewer: false }
  return { ...describePage(place, parameters, page, content), media_list: [] }
}

import type { Store } from '../../engine/collections/catalog.ts'
import { findValueAt, makeJsonTextReader } from '../../platform/templates/find-value-at.ts'
import type { MediaConfig } from '../messages/send/read-media.ts'
import { loadPictures, type Pictures } from '../messages/send/send-with-pictures.ts'
import type { PostedBody } from './check-signature.ts'
import { type HookSettings, sendsLoginCodes } from './hook-settings.ts'

/** Maximum pictures of an alarm. Others are left out: as links they would make the text long. */
const MAX_PICTURES = 3

/** Ends a call whose pictures have to be loaded before it is handled. */
export class PicturesWanted extends Error {
  readonly named: readonly string[]

  constructor(named: readonly string[]) {
    super('Pictures are wanted')
    this.named = named
  }
}

/** The pictures that a body names at the hook's path; at a list, those of each item. */
export function listPictures(hook: HookSettings, body: unknown): readonly string[] {
  const path = hook.pictures_from.trim()
  if (path === '' || sendsLoginCodes(hook)) return []
  const readText = makeJsonTextReader()
  let found: readonly unknown[] = [body]
  for (const name of path.split('.'))
    found = found.flatMap((value) => findBelow(readText(value), name))
  const named = found.flat().filter((one) => typeof one === 'string' && one !== '')
  return [...new Set(named as string[])].slice(0, MAX_PICTURES)
}

/** The values of a name in an object; at a list, those of its items. */
function findBelow(value: unknown, name: string): readonly unknown[] {
  const own = findValueAt(value, [name])
  const all = own === undefined && Array.isArray(value) ? value : []
  return [own, ...all.map((item) => findValueAt(item, [name]))].filter((one) => one !== undefined)
}

const NO_ADDRESS = 'The picture has no http or https address.'

/** Loads the pictures of a mail, or fetches those at the addresses that a body names. */
export async function loadHookPictures(
  store: Store,
  user: string,
  config: MediaConfig,
  { files, mention = '', memory }: PostedBody,
  { named }: PicturesWanted,
): Promise<Pictures> {
  if (files) {
    const given = files.filter(({ name }) => named.includes(name)).slice(0, MAX_PICTURES)
    const areAll = given.length === files.length
    return loadPictures(store, user, config, { given, memory }, areAll ? mention : '')
  }
  // other names would be files of the account
  const addresses = named.filter((name) => /^https?:/i.test(name))
  const pictures = await loadPictures(store, user, config, { named: addresses, memory })
  return addresses.length < named.length ? { ...pictures, fault: NO_ADDRESS } : pictures
}

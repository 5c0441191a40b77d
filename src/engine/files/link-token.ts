import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Db } from '../../platform/db/open.ts'
import { loadOrMakeParam, loadParam } from '../../platform/db/secrets.ts'
import type { FilePlace } from './stored-files.ts'

const KEY = 'fileLinks'
const makeLinkKey = async () => JSON.stringify(randomBytes(32).toString('base64url'))

const TOKEN = /^(\d{1,12})\.([\w-]{43})$/

const signLink = (key: string, { collection, record, name }: FilePlace, until: string): string =>
  createHmac('sha256', key)
    .update(JSON.stringify([collection, record, name, until]))
    .digest('base64url')

/** A token that opens one protected file until `until` (seconds since 1970); equal for equal arguments. */
export async function makeLinkToken(db: Db, place: FilePlace, until: number): Promise<string> {
  return `${until}.${signLink(await loadOrMakeParam(db, KEY, makeLinkKey), place, String(until))}`
}

export async function isLinkToken(db: Db, place: FilePlace, token: string): Promise<boolean> {
  const [, until = '', signature = ''] = TOKEN.exec(token) ?? []
  if (until === '' || Number(until) * 1000 < Date.now()) return false
  const key = await loadParam(db, KEY)
  return (
    key !== undefined &&
    timingSafeEqual(Buffer.from(signLink(key, place, until)), Buffer.from(signature))
  )
}

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Db } from '../../platform/db/open.ts'
import { readOrMakeParam, readParam } from '../../platform/db/secrets.ts'
import type { FilePlace } from './stored-files.ts'

const KEY = 'fileLinks'
const newKey = async () => JSON.stringify(randomBytes(32).toString('base64url'))

const TOKEN = /^(\d{1,12})\.([\w-]{43})$/

const sign = (key: string, { collection, record, name }: FilePlace, until: string): string =>
  createHmac('sha256', key)
    .update(JSON.stringify([collection, record, name, until]))
    .digest('base64url')

/** A token that opens one protected file until `until` (seconds since 1970); equal for equal arguments. */
export async function linkToken(db: Db, place: FilePlace, until: number): Promise<string> {
  return `${until}.${sign(await readOrMakeParam(db, KEY, newKey), place, String(until))}`
}

export async function isLinkToken(db: Db, place: FilePlace, token: string): Promise<boolean> {
  const [, until = '', signature = ''] = TOKEN.exec(token) ?? []
  if (until === '' || Number(until) * 1000 < Date.now()) return false
  const key = await readParam(db, KEY)
  return (
    key !== undefined &&
    timingSafeEqual(Buffer.from(sign(key, place, until)), Buffer.from(signature))
  )
}

import { createReadStream, createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { INTRO } from '../../platform/age/header.ts'
import { type AgeIdentity, parseIdentities } from '../../platform/age/keys.ts'
import { isSealed, unseal } from '../../platform/age/seal.ts'
import { UserError } from '../../platform/api-errors.ts'

export const SEALED_ENDING = '.age'

/** Secret keys from the text of a key file. Throws a UserError if it has none. */
export function requireIdentities(text: string): AgeIdentity[] {
  const identities = parseIdentities(text)
  if (identities.length > 0) return identities
  throw new UserError('The key file has no secret key of age (AGE-SECRET-KEY-1…).')
}

/** Whether the file at `path` is sealed. An empty or unreadable file is not. */
export async function isFileSealed(path: string): Promise<boolean> {
  try {
    for await (const start of createReadStream(path, { end: INTRO.length - 1 }))
      return isSealed(start)
  } catch {} // whoever opens the file next says why it is unreadable
  return false
}

/** Opens the sealed file at `from` into a new file, which only its owner can read. */
export const unsealFile = (from: string, identities: readonly AgeIdentity[], to: string) =>
  pipeline(
    unseal(createReadStream(from), identities),
    createWriteStream(to, { flags: 'wx', mode: 0o600, flush: true }),
  )

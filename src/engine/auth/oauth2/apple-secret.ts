import { createPrivateKey, type KeyObject } from 'node:crypto'
import { SignJWT } from 'jose'
import { badRequest } from '../../../platform/api-errors.ts'
import { makeObjectShape, text, type ValueOf, whole } from '../../fields/json-shapes.ts'
import {
  checkFields,
  checkLength,
  checkMaximum,
  checkMinimum,
  checkPattern,
  checkRequired,
} from '../../fields/value-checks.ts'

export const APPLE_SECRET_FORM = makeObjectShape({
  clientId: text,
  teamId: text,
  keyId: text,
  privateKey: text,
  duration: whole,
})

const ID_LENGTH = 10
/** Apple's maximum lifetime of a client secret, some six months. */
const MAX_SECONDS = 15_777_000
const PEM = /-----BEGIN PRIVATE KEY----[\s\S]+-----END PRIVATE KEY-----/
const ALGORITHM = 'ES256'

/** The client secret for Apple: a signed token. Throws 400. PocketBase: apple_client_secret_create.go */
export async function makeAppleSecret(form: ValueOf<typeof APPLE_SECRET_FORM>): Promise<string> {
  const checks = {
    clientId: [checkRequired],
    teamId: [checkRequired, checkLength(ID_LENGTH, ID_LENGTH)],
    keyId: [checkRequired, checkLength(ID_LENGTH, ID_LENGTH)],
    privateKey: [checkRequired, checkPattern(PEM)],
    duration: [checkRequired, checkMinimum(1), checkMaximum(MAX_SECONDS)],
  }
  checkFields(form, checks, 'Invalid client secret data.')
  try {
    const key = readAppleKey(form.privateKey)
    const now = Math.floor(Date.now() / 1000)
    return await new SignJWT({
      iss: form.teamId,
      sub: form.clientId,
      aud: ['https://appleid.apple.com'],
      exp: now + form.duration,
      iat: now,
    })
      .setProtectedHeader({ alg: ALGORITHM, kid: form.keyId, typ: 'JWT' })
      .sign(key)
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'the key cannot be used'
    throw badRequest(`Failed to generate client secret. Raw error: \n${reason}`)
  }
}

/** Reads an ES256 key. Errors are worded as in golang-jwt, ParseECPrivateKeyFromPEM. */
function readAppleKey(pem: string): KeyObject {
  let key: KeyObject
  try {
    key = createPrivateKey(pem.trim())
  } catch (cause) {
    throw new Error('invalid key: Key must be a PEM encoded PKCS1 or PKCS8 key', { cause })
  }
  if (key.asymmetricKeyType !== 'ec') throw new Error('key is not a valid ECDSA private key')
  if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') throw new Error('key is invalid')
  return key
}

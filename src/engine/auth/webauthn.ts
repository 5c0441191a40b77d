import { isIP } from 'node:net'
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { badRequest } from '../../platform/api-errors.ts'

// Passkeys as browsers make and use them: WebAuthn. The library is loaded at its first use.

/** Where passkeys are valid: the host of PUBLIC_URL, and pages of its origin. */
export interface PasskeySite {
  readonly host: string
  readonly origin: string
}

/** The site of an address; undefined if browsers make no passkeys there. */
export function findPasskeySite(publicUrl: string): PasskeySite | undefined {
  const { hostname: host, origin, protocol } = new URL(publicUrl)
  const isSafe = protocol === 'https:' || host === 'localhost'
  return isSafe && isIP(host.replace(/^\[|\]$/g, '')) === 0 ? { host, origin } : undefined
}

/** The site. Throws 400 if browsers make no passkeys there. */
export function requirePasskeySite(publicUrl: string): PasskeySite {
  const site = findPasskeySite(publicUrl)
  if (!site) throw badRequest('Passkeys need a PUBLIC_URL with https and the name of a host.')
  return site
}

/** A stored passkey, as a signature of it is checked. `credential`: the id that the browser gave it. */
export interface Passkey {
  readonly credential: string
  readonly public_key: Buffer
  readonly counter: number
  readonly transports: readonly string[]
}

type Transports = NonNullable<RegistrationResponseJSON['response']['transports']>

/** EdDSA, ES256 and RS256, in COSE's numbers. Node warns of others as experimental. */
const ALGORITHMS = [-8, -7, -257]

const loadLibrary = () => import('@simplewebauthn/server')
const loadHelpers = () => import('@simplewebauthn/server/helpers')

export type { AuthenticationResponseJSON, RegistrationResponseJSON }

const toDescriptors = (known: readonly Pick<Passkey, 'credential' | 'transports'>[]) =>
  known.map(({ credential: id, transports }) => ({ id, transports: transports as Transports }))

/** Options for `navigator.credentials.create`. `handle`: names the person in the authenticator. */
export async function makeCreationOptions(
  { host }: PasskeySite,
  challenge: Buffer,
  names: { readonly app: string; readonly person: string; readonly handle: string },
  known: readonly Passkey[],
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await loadLibrary()
  return generateRegistrationOptions({
    rpName: names.app,
    rpID: host,
    userName: names.person,
    userID: Uint8Array.from(Buffer.from(names.handle)),
    challenge: Uint8Array.from(challenge),
    attestationType: 'none',
    supportedAlgorithmIDs: ALGORITHMS,
    excludeCredentials: toDescriptors(known),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
}

/** Options for `navigator.credentials.get`. `known`: the passkeys that count; []: any of the site. */
export async function makeRequestOptions(
  { host }: PasskeySite,
  challenge: Buffer,
  known: readonly Passkey[],
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await loadLibrary()
  return generateAuthenticationOptions({
    rpID: host,
    challenge: Uint8Array.from(challenge),
    allowCredentials: toDescriptors(known),
    userVerification: 'required',
  })
}

/** Throws 400 for an answer of a browser that does not hold. */
export function refusePasskey(): never {
  throw badRequest('This passkey was refused. Try again.')
}

/**
 * Throws 400 for an attestation with certificates, which no browser sends when none was asked for: the
 * library would fetch lists of revoked certificates from the addresses that they name.
 */
async function requirePlainAttestation({ response }: RegistrationResponseJSON): Promise<void> {
  const { decodeAttestationObject, isoBase64URL } = await loadHelpers()
  try {
    const attestation = decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject))
    const format = attestation.get('fmt')
    const isSelfMade = format === 'packed' && !attestation.get('attStmt').get('x5c')
    if (format === 'none' || isSelfMade) return
  } catch {} // no attestation at all
  refusePasskey()
}

/** The new passkey of a browser's answer. Throws 400. */
export async function verifyCreation(
  { host, origin }: PasskeySite,
  challenge: string,
  response: RegistrationResponseJSON,
): Promise<Passkey> {
  await requirePlainAttestation(response)
  const { verifyRegistrationResponse } = await loadLibrary()
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: host,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch(refusePasskey)
  if (!verified || !registrationInfo) return refusePasskey()
  const { id, publicKey, counter, transports = [] } = registrationInfo.credential
  return { credential: id, public_key: Buffer.from(publicKey), counter, transports }
}

/**
 * The counter of a passkey after its signature. Throws 400: also for a counter that did not grow, which the
 * copy of a passkey may have.
 */
export async function verifySignature(
  { host, origin }: PasskeySite,
  challenge: string,
  response: AuthenticationResponseJSON,
  { credential: id, public_key, counter, transports }: Passkey,
): Promise<number> {
  const { verifyAuthenticationResponse } = await loadLibrary()
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: host,
    requireUserVerification: true,
    credential: {
      id,
      publicKey: Uint8Array.from(public_key),
      counter,
      transports: transports as Transports,
    },
  }).catch(refusePasskey)
  return verified ? authenticationInfo.newCounter : refusePasskey()
}

/**
 * The challenge that a browser's answer names; '' if it names none, or answers in a frame of another site,
 * which the library allows. Not trusted before a verification.
 */
export function readChallenge({
  response,
}: {
  readonly response: { readonly clientDataJSON: string }
}): string {
  try {
    const data = JSON.parse(Buffer.from(response.clientDataJSON, 'base64url').toString())
    return typeof data?.challenge === 'string' && data.crossOrigin !== true ? data.challenge : ''
  } catch {
    return ''
  }
}

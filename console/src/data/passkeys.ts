import { t } from '../language/words.ts'
import { pb, postRequest } from './client.ts'

// Passkeys: the browser makes them and signs with them, the server checks that.

/** The server's options for the browser. */
type PasskeyOptions = object

/** Whether this window is at the host at which passkeys are valid. */
export const isPasskeyHost = (host: string | undefined): boolean => host === location.hostname

/** Calls the browser. Its errors become sentences: most of them mean that the person has canceled. */
async function askBrowser(ask: () => Promise<Credential | null>): Promise<object> {
  try {
    const credential = (await ask()) as PublicKeyCredential
    return credential.toJSON()
  } catch (error) {
    const isKnown = (error as DOMException).name === 'InvalidStateError'
    throw new Error(
      isKnown
        ? t('This device has a passkey for your sign-in already.')
        : t('No passkey was used. Try again, or choose another way.'),
    )
  }
}

/** Makes a passkey in the browser. Throws an Error with a sentence. */
export const createPasskey = (options: PasskeyOptions): Promise<object> =>
  askBrowser(() => {
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
      options as PublicKeyCredentialCreationOptionsJSON,
    )
    return navigator.credentials.create({ publicKey })
  })

/** Signs by a passkey in the browser. Throws an Error with a sentence. */
export const signByPasskey = (options: PasskeyOptions): Promise<object> =>
  askBrowser(() => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
      options as PublicKeyCredentialRequestOptionsJSON,
    )
    return navigator.credentials.get({ publicKey })
  })

/** Signs in by a passkey: alone, or with `mfaId` after the password. */
export async function signInByPasskey(collection: string, mfaId?: string): Promise<void> {
  const path = `/api/collections/${collection}`
  const options = await postRequest<PasskeyOptions>(`${path}/passkey-options`, { mfaId })
  const credential = await signByPasskey(options)
  const { token, record } = await postRequest<{ token: string; record: never }>(
    `${path}/auth-with-passkey`,
    { credential, mfaId },
  )
  pb.authStore.save(token, record)
}

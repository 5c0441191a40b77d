import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { EventSource } from 'eventsource'
import Provider from 'oidc-provider'
import PocketBase from 'pocketbase'
import type { AuthCollection } from '../../../src/engine/collections/collection.ts'
import { listenLocally } from './listen.ts'

/** Claims of an account. */
export type Claims = Readonly<Record<string, unknown>>

/** An OpenID provider on a free port, which lets anybody in without asking. */
export interface OidcServer {
  readonly url: string
  /** The options of a collection by which it is known there. */
  readonly options: Readonly<Record<string, string>>
  /** What is known of each account, by `sub`. */
  readonly accounts: Map<string, Claims>
  /** What else it serves, by path. */
  readonly files: Map<string, Buffer>
  /** Who signs in next. */
  account: string
  /** Goes where a browser would go from the provider's address on, and answers where that ends. */
  browse(url: string): Promise<string>
  /** Answers the address with a code that the browser would be led back to, and does not go there. */
  browseBack(url: string): Promise<string>
  stop(): Promise<void>
}

const CLIENT = { client_id: 'shop & co', client_secret: 'hush: 50% off' }
const TTL = 600
const SCOPES = 'openid email profile groups'

/**
 * Starts one whose only client comes back to `redirectURL`, and names itself in `how` (a header or the form).
 */
export async function startOidcServer(
  redirectURL: string,
  how: 'client_secret_basic' | 'client_secret_post' = 'client_secret_basic',
): Promise<OidcServer> {
  const listener = createServer((req, res) => void handle(req, res))
  const { url, stop } = await listenLocally(listener)
  const accounts = new Map<string, Claims>()
  const files = new Map<string, Buffer>()
  const provider = new Provider(url, {
    clients: [{ ...CLIENT, redirect_uris: [redirectURL], token_endpoint_auth_method: how }],
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name', 'preferred_username', 'picture'],
      groups: ['groups', 'realm_access'],
    },
    conformIdTokenClaims: false,
    cookies: { keys: [randomBytes(16).toString('hex')] },
    ttl: { AccessToken: TTL, Grant: TTL, IdToken: TTL, Interaction: TTL, Session: TTL },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    findAccount: (_: unknown, sub: string) => ({
      accountId: sub,
      claims: () => ({ sub, ...accounts.get(sub) }),
    }),
  })
  const callback = provider.callback()

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const file = files.get(req.url ?? '')
    if (file) return void res.end(file)
    if (!req.url?.startsWith('/interaction/')) return callback(req, res)
    const { prompt, params, session } = await provider.interactionDetails(req, res)
    const result =
      prompt.name === 'login'
        ? { login: { accountId: server.account } }
        : {
            consent: {
              grantId: await agree(session?.accountId ?? server.account, params.client_id),
            },
          }
    await provider.interactionFinished(req, res, result, { mergeWithLastSubmission: true })
  }
  async function agree(accountId: string, clientId: string): Promise<string> {
    const grant = new provider.Grant({ accountId, clientId })
    grant.addOIDCScope(SCOPES)
    return grant.save()
  }

  const server: OidcServer = {
    url,
    options: {
      name: 'oidc',
      clientId: CLIENT.client_id,
      clientSecret: CLIENT.client_secret,
      authURL: `${url}/auth`,
      tokenURL: `${url}/token`,
      userInfoURL: `${url}/me`,
    },
    accounts,
    files,
    account: '',
    browse: (from) => browse(from, redirectURL),
    browseBack: (from) => browse(from, redirectURL, true),
    stop,
  }
  return server
}

/** The options of a collection that lets people in by the provider, of which `more` says what differs. */
export const oauth2By = ({ options }: OidcServer, more: object = {}) =>
  ({
    enabled: true,
    mappedFields: { id: '', name: 'name', username: '', avatarURL: '' },
    providers: [{ pkce: null, displayName: 'Work', extra: null, ...options, ...more }],
  }) as unknown as AuthCollection['oauth2']

/** Signs a user in at the gateway `url` as an app does, with the unmodified SDK. Answers the user's id. */
export async function signInByProvider(url: string, oidc: OidcServer): Promise<string> {
  globalThis.EventSource ??= EventSource as unknown as typeof globalThis.EventSource
  const users = new PocketBase(url).collection('users')
  const { record } = await users.authWithOAuth2({
    provider: 'oidc',
    urlCallback: async (from) => void (await oidc.browse(from)),
  })
  return record.id
}

const MAX_STEPS = 10

/** A browser that was never here before. It stops after it was led back. */
async function browse(from: string, redirectURL: string, stopsBefore = false): Promise<string> {
  const cookies = new Map<string, string>()
  let url = from
  for (let steps = 0; steps < MAX_STEPS; steps++) {
    const isBack = url.startsWith(redirectURL)
    if (isBack && stopsBefore) return url
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } })
    for (const one of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(one)!
      cookies.set(name!, value!)
    }
    const location = response.headers.get('location')
    if (!location) throw new Error(`${url} answered ${response.status} ${await response.text()}`)
    url = new URL(location, url).href
    if (isBack) return url
  }
  throw new Error('it goes round in circles')
}

import type { AuthCollection } from '../../../src/engine/collections/collection.ts'
import { saveCollection } from '../../../src/engine/collections/save-collection.ts'
import { createRecord } from '../../../src/engine/records/create-or-update.ts'
import { makeServerRequest } from '../../../src/engine/request/request.ts'
import { startMailServer } from '../services/mail-server.ts'
import { request } from './request.ts'
import { SUPERUSER, startServer } from './start.ts'

export const PASSWORD = 'password1'

/** A server whose mails go to a mail server of the test. */
export async function startServerWithMail(env: Record<string, string> = {}) {
  const [server, mail] = await Promise.all([startServer({ env }), startMailServer()])
  const { store, settings } = server.services
  await settings.save({ smtp: { enabled: true, host: '127.0.0.1', port: mail.port } })

  type Headers = Record<string, string>
  const call = (method: string, path: string, body?: unknown, headers?: Headers) =>
    request(server.url, method, path, body, headers)
  const post = (path: string, body: unknown = {}, headers?: Headers) =>
    call('POST', path, body, headers)
  /** The token of a successful sign-in. */
  const signIn = async (collection: string, identity: string, password: string) =>
    String(
      (await post(`/api/collections/${collection}/auth-with-password`, { identity, password })).body
        .token,
    )
  const find = (name: string) => store.catalog.find(name) as AuthCollection
  const change = (name: string, options: Partial<AuthCollection>) =>
    store.change((draft) => saveCollection(draft, { ...find(name), ...options }))
  return {
    server,
    mail,
    call,
    post,
    signIn,
    find,
    change,
    async superuser(): Promise<Headers> {
      return { authorization: await signIn('_superusers', SUPERUSER.email, SUPERUSER.password) }
    },
    /** A user whose password is PASSWORD. Answers the id. */
    async addUser(email: string, more: object = {}): Promise<string> {
      const body = { email, password: PASSWORD, passwordConfirm: PASSWORD, ...more }
      const asked = makeServerRequest(store, body)
      return JSON.parse(await createRecord(store, new Map(), find('users'), asked)).id
    },
    /** Users may sign in with mailed codes. */
    allowOtp: () => change('users', { otp: { ...find('users').otp, enabled: true } }),
    /** Rows of a statement. */
    rows: async (sql: string, ...params: unknown[]) => (await store.db.query(sql, params)).rows,
  }
}

/** The token at the end of the link in a mail. */
export const tokenIn = (text: string) => /#\/auth\/[\w-]+\/(\S+)/.exec(text)?.[1] ?? ''

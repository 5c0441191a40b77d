import { saveCollection } from '../../../src/collections/catalog/save.ts'
import { type AuthCollection, SUPERUSERS } from '../../../src/collections/catalog.ts'
import { createRecord } from '../../../src/records/write/write.ts'
import { serverRequest } from '../../../src/request/request.ts'
import type { TestServer } from '../database/open.ts'
import { type MailServer, startMailServer } from '../services/mail-server.ts'
import { type Answer, request } from './request.ts'
import { SUPERUSER, startServer } from './start.ts'

/** A server whose mails go to a mail server of the test. */
export interface ServerWithMail {
  readonly server: TestServer
  readonly mail: MailServer
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** The token of a successful sign-in. */
  signIn(collection: string, identity: string, password: string): Promise<string>
  superuser(): Promise<Record<string, string>>
  /** A user whose password is PASSWORD. Answers the id. */
  addUser(email: string, more?: Record<string, unknown>): Promise<string>
  change(name: string, options: Partial<AuthCollection>): Promise<void>
}

export const PASSWORD = 'password1'

export async function startServerWithMail(env: Record<string, string> = {}): Promise<ServerWithMail> {
  const [server, mail] = await Promise.all([startServer({ env }), startMailServer()])
  const { store, settings } = server.services
  await settings.save({ smtp: { enabled: true, host: '127.0.0.1', port: mail.port } })

  const call: ServerWithMail['call'] = (...what) => request(server.url, ...what)
  const fixture: ServerWithMail = {
    server,
    mail,
    call,
    post: (path, body = {}, headers) => call('POST', path, body, headers),
    async signIn(collection, identity, password) {
      const { body } = await fixture.post(`/api/collections/${collection}/auth-with-password`, {
        identity,
        password,
      })
      return String(body.token)
    },
    superuser: async () => ({
      authorization: await fixture.signIn('_superusers', SUPERUSER.email, SUPERUSER.password),
    }),
    async addUser(email, more = {}) {
      const body = { email, password: PASSWORD, passwordConfirm: PASSWORD, ...more }
      const collection = store.catalog.find('users')!
      const asked = serverRequest(store.catalog.find(SUPERUSERS)!, body)
      return JSON.parse(await createRecord(store, new Map(), collection, asked)).id
    },
    async change(name, options) {
      const collection = store.catalog.find(name) as AuthCollection
      await store.change((draft) => saveCollection(draft, { ...collection, ...options }))
    },
  }
  return fixture
}

/** The token at the end of the link in a mail. */
export const tokenIn = (text: string) => /#\/auth\/[\w-]+\/(\S+)/.exec(text)?.[1] ?? ''

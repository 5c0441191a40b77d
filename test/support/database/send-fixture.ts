import { acceptSend } from '../../../src/gateway/messages/send/accept-send.ts'
import { readSend } from '../../../src/gateway/messages/send/read-send.ts'
import { SEND } from '../../../src/gateway/messages/send/send-body-schema.ts'
import { openAcceptor } from '../../../src/gateway/messages/send/store-offers.ts'
import { readConfig } from '../../../src/platform/config.ts'
import { openPreparedDb } from '../server/start.ts'
import { openCatalogStore } from './open.ts'
import { ownerWith } from './permits.ts'

const USER = 'deskuser0000000'

/** Sending without a server: no HTTP, and no sweeper that moves what nobody claims. One user, with phones. */
export async function openSendFixture(phones: number, quota = 0) {
  const db = await openPreparedDb()
  const store = await openCatalogStore(db)
  await db.query(
    `insert into users (id, email, "tokenKey", monthly_quota) values ($1, 'desk@example.com', 'k', $2)`,
    [USER, quota],
  )
  await db.query(
    `insert into devices (id, "user", name, enabled, last_seen, "tokenKey")
    select 'phone' || lpad(i::text, 10, '0'), $1, 'phone', true, '2099-01-01 00:00:00.000Z', 'k' || i
    from generate_series(1, $2) i`,
    [USER, phones],
  )
  const { rows } = await db.query('select xmin::text from users where id = $1', [USER])
  const sender = ownerWith(USER, String(rows[0]![0]))
  const config = readConfig({})
  const acceptor = openAcceptor(store, config)
  /** Another node on the same database. Answers 'accepted', or the error that a client would read. */
  const node = () => {
    const desk = { store, config, acceptor: openAcceptor(store, config) }
    return (body: object) =>
      acceptSend(desk, sender, {
        read: () => ({
          body: readSend(SEND, { recipients: ['+4911111'], body: 'Hi', ...body }, new Date()),
        }),
      }).then(
        () => 'accepted',
        (error: { body?: { error: string } }) => error.body?.error ?? String(error),
      )
  }
  return { db, acceptor, sender, send: node(), node }
}

/** Runs `work` for each number below `count`, by 64 at a time. */
export async function inGroupsOf64(
  count: number,
  work: (i: number) => Promise<void>,
): Promise<void> {
  let next = 0
  const one = async () => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: 64 }, one))
}

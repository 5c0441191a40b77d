import { type Attack, asUser, byGuest, byUser, createRecords } from './attack.ts'
import { flood, query } from './sockets.ts'

// Small requests with large answers.

const CONTACTS = '/api/collections/contacts/records'
const BOMB = 'user.contacts_via_user.user.contacts_via_user'

const withContacts = (count: number, bytes: number) =>
  asUser(async (user, target) => {
    const per = bytes > 100_000 ? 10 : 50
    for (let done = 0; done < count; done += per)
      await createRecords(target, 'contacts', Math.min(per, count - done), (i) => ({
        user: user.id,
        name: `Contact ${done + i}`,
        phone: `+4915${1e6 + done + i}`,
        data: { text: `<p>${'a '.repeat(bytes / 2)}` },
      }))
  })

export const answers: readonly Attack[] = [
  byUser('expand bomb', { prepare: withContacts(1_000, 10) }, (run) =>
    flood(run, 4, () => ({ path: `${CONTACTS}?${query({ expand: BOMB, perPage: '1' })}` })),
  ),
  byUser('expand bombs that nobody reads', { prepare: withContacts(1_000, 10) }, (run) =>
    flood(run, 6, () => ({
      path: `${CONTACTS}?${query({ expand: BOMB, perPage: '1' })}`,
      isUnread: true,
    })),
  ),
  byUser('expand bomb in a view and an export', { prepare: withContacts(1_000, 10) }, (run) =>
    flood(run, 4, (turn) => ({
      path:
        turn % 2 === 0
          ? `/api/collections/users/records/${run.prepared.id}?${query({ expand: 'contacts_via_user.user.contacts_via_user' })}`
          : `/api/collections/contacts/export?${query({ fields: 'name,expand.user.name', expand: BOMB })}`,
    })),
  ),
  byUser('lists of large JSON', { prepare: withContacts(60, 900_000) }, (run) =>
    flood(run, 6, (turn) => ({
      path: `${CONTACTS}?${query({ perPage: '1000', sort: turn % 2 ? 'name' : '-name' })}`,
      isUnread: turn % 3 === 0,
    })),
  ),
  byUser('exports of large JSON that nobody reads', { prepare: withContacts(60, 900_000) }, (run) =>
    flood(run, 6, () => ({
      path: `/api/collections/contacts/export?${query({ fields: 'name,data' })}`,
      isUnread: true,
    })),
  ),
  byUser('thousands of excerpts', { prepare: withContacts(200, 5_000) }, (run) => {
    const fields = Array.from({ length: 400 }, (_, i) => `data.text:excerpt(${i + 1},true)`).join(
      ',',
    )
    const deep = Array.from({ length: 300 }, () => 'expand.user.expand.contacts_via_user.*').join(
      ',',
    )
    return flood(run, 4, (turn) => ({
      path: `${CONTACTS}?${query({ perPage: '500', fields: turn % 2 ? fields : deep })}`,
    }))
  }),
  byUser('batches of 50 with expands', { prepare: withContacts(500, 10) }, (run) => {
    const url = `/api/collections/contacts/records?${query({ expand: BOMB })}`
    const values = { user: run.prepared.id, name: 'New', phone: '+491511234' }
    const requests = Array.from({ length: 50 }, (_, i) => ({
      method: 'POST',
      url,
      body: { ...values, phone: `${values.phone}${i}` },
    }))
    const body = JSON.stringify({ requests })
    return flood(run, 4, () => ({ path: '/api/batch', body }))
  }),
  byUser('many expand paths', { prepare: withContacts(300, 10) }, (run) => {
    const paths = [
      'user',
      'groups',
      'user.contacts_via_user',
      'user.devices_via_user',
      'user.sms_messages_via_user',
    ]
    const expand = paths.flatMap((a) =>
      paths.map((b) => `user.contacts_via_user.${a},user.contacts_via_user.${b}`),
    )
    return flood(run, 4, () => ({
      path: `${CONTACTS}?${query({ expand: expand.join(','), perPage: '100' })}`,
    }))
  }),
  byGuest(
    'lists of an open collection that nobody reads',
    {
      async prepare(target) {
        await createRecords(target, 'boards', 40, () => ({
          title: 'Large',
          data: { text: 'a'.repeat(400_000) },
        }))
        return {}
      },
    },
    (run) =>
      flood(run, 10, (turn) => ({
        path: `/api/collections/boards/records?perPage=1000&sort=${turn % 2 ? '-created' : 'created'}`,
        isUnread: true,
      })),
  ),
]

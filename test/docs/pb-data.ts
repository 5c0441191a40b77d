import { hashPassword } from '../../src/fields/values/bcrypt.ts'
import { ID, type SourceCollection, USERS, writeSource } from '../import/pocketbase-data.ts'

const DORA = 'user00000000001'

const posts: SourceCollection = {
  id: 'pbc_posts',
  name: 'posts',
  rules: ["@request.auth.id != ''", "@request.auth.id != ''", null, null, null],
  fields: [
    ID,
    { id: 'f_title', name: 'title', type: 'text' },
    { id: 'f_author', name: 'author', type: 'relation', collectionId: '_pb_users_auth_', maxSelect: 1 },
    { id: 'f_created', name: 'created', type: 'autodate', onCreate: true },
  ],
  rows: [{ id: 'post00000000001', title: 'Hello again', author: DORA, created: '2024-05-02 10:00:00.000Z' }],
}

const secret = (letter: string) => ({ secret: letter.repeat(40), duration: 600 })

const users = async (): Promise<SourceCollection> => ({
  ...USERS,
  rules: ['id = @request.auth.id', 'id = @request.auth.id', '', 'id = @request.auth.id', null],
  options: {
    ...{ authToken: secret('a'), passwordResetToken: secret('b'), emailChangeToken: secret('c') },
    ...{ verificationToken: secret('d'), fileToken: secret('e') },
    passwordAuth: { enabled: true, identityFields: ['email'] },
  },
  rows: [
    {
      ...{ id: DORA, email: 'dora@example.com', emailVisibility: 1, verified: 1 },
      ...{ password: await hashPassword('doras-password', 4), tokenKey: 'k'.repeat(50) },
    },
  ],
})

/** A small app's data directory, as PocketBase leaves it behind. */
export async function writePocketBaseData(folder: string): Promise<void> {
  writeSource(folder, { collections: [await users(), posts] })
}

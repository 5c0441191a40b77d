import { type Api, ensure, ensureUser } from './people.ts'

/** Members of the user's account, who see its messages. The demo ends by printing the first one's sign-in. */
export const COLLEAGUES = [
  { name: 'Priya', email: 'priya@example.com', role: 'agent' },
  { name: 'Tom', email: 'tom@example.com', role: 'viewer' },
] as const

/** Makes members of the user's account from COLLEAGUES. Each signs in with `password`. */
export async function makeTeam(superuser: Api, account: string, password: string): Promise<void> {
  for (const { role, ...person } of COLLEAGUES) {
    const member = await ensureUser(superuser, { ...person, password, member_only: true })
    const filter = `account = "${account}" && member = "${member}"`
    await ensure(superuser, 'members', filter, { account, member, role })
  }
}

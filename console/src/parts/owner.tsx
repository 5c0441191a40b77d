import type { User } from '../data/records.ts'
import { to } from '../router.ts'

interface Owned {
  readonly user: string
  readonly expand?: { readonly user?: User }
}

/** The user of a record that was read with `expand: 'user'`, for superusers: a link to the page Users. */
export function Owner({ record: { user, expand } }: { record: Owned }) {
  const email = expand?.user?.email
  return email ? <a href={to('/users', { search: email })}>{email}</a> : <span>{user || '–'}</span>
}

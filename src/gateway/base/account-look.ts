import type { MailSender } from '../../engine/auth/auth-mails.ts'
import type { MailLook } from '../../engine/auth/mail-html.ts'
import type { Db } from '../../platform/db/open.ts'
import { queries } from '../../platform/db/queries.ts'
import { chooseInk } from '../../portable/choose-ink.ts'

export interface AccountLook {
  /** The path of its logo below the server's address; '' for none. */
  readonly logo: string
  /** The colour of buttons and of their words; undefined for the usual ones. */
  readonly color: { readonly fill: string; readonly ink: string } | undefined
}

/** The look that an account has chosen, else the usual one. */
export async function loadAccountLook(db: Db, user: string): Promise<AccountLook> {
  const found = await queries(db)
    .selectFrom('user_settings')
    .select(['id', 'logo', 'color'])
    .where('user', '=', user)
    .executeTakeFirst()
  const { id, logo, color } = found ?? { id: '', logo: '', color: '' }
  return {
    logo: logo && `/api/files/user_settings/${id}/${encodeURIComponent(logo)}`,
    color: color ? { fill: color, ink: chooseInk(color) } : undefined,
  }
}

/** The look for mails, which show a logo by https only. */
export async function loadMailLook(
  db: Db,
  user: string,
  { appUrl }: MailSender,
): Promise<Omit<MailLook, 'language'>> {
  const { logo, color } = await loadAccountLook(db, user)
  return { logo: logo && appUrl.startsWith('https://') ? appUrl + logo : '', color }
}

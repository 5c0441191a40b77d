import { sendMail } from '../../auth/mail/mailer.ts'
import { escapeHtml, layout } from '../../auth/mail/mails.ts'
import { listSuperusers } from '../../auth/superusers/superusers.ts'
import type { Store } from '../../collections/catalog.ts'
import type { Logger } from '../../log.ts'
import type { SettingsStore } from '../../settings/settings-store.ts'

/**
 * Tells all superusers by mail that a scheduled backup failed, and why. A mail that does not go out is
 * logged: the failure itself is stored already. PocketBase: core/system_alert.go
 */
export async function alertSuperusers(
  store: Store,
  services: { readonly settings: Pick<SettingsStore, 'current'>; readonly log: Logger },
  reason: string,
): Promise<void> {
  const { appName } = services.settings.current.meta
  const subject = `[${appName}] The scheduled backup failed`
  const html = layout(
    `<p>The scheduled backup of ${escapeHtml(appName)} failed:</p>\n<p>${escapeHtml(reason)}</p>\n<p>The console’s page Backups shows what is there.</p>`,
  )
  for (const to of await listSuperusers(store)) {
    await sendMail(services, { to, subject, html }).catch((err) =>
      services.log.warn({ err }, 'superusers could not be told of a failed backup'),
    )
  }
}

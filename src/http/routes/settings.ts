import { Hono } from 'hono'
import { sendTestMail, TEST_MAIL_FORM } from '../../auth/mails.ts'
import { APPLE_SECRET_FORM, makeAppleSecret } from '../../auth/oauth2/apple-secret.ts'
import { checkFields, oneOf, required } from '../../collections/checks.ts'
import { badRequest } from '../../errors.ts'
import { object, text } from '../../fields/shape.ts'
import { deleteUnwantedLogs } from '../../logs/request-log.ts'
import { renderSettings, type S3Settings } from '../../settings/settings.ts'
import type { Env, Services } from '../context.ts'
import { readForm } from '../forms/form.ts'
import { answerSuperuser, auditRequest, auditSettings, requireSuperuser } from '../middleware/audit.ts'
import { bodyOr, sendJson } from '../request-info.ts'

const TEST_S3_FORM = object({ filesystem: text })

/** `/api/settings` for superusers. PocketBase: apis/settings.go, contract 7.4 */
export const settingsRoutes = (services: Services) => {
  const { settings } = services
  return new Hono<Env>()
    .get('/', (c) => answerSuperuser(c, services, () => renderSettings(settings.current)))
    .patch('/', async (c) => {
      const { auth } = await requireSuperuser(c, services)
      const { values } = await bodyOr(c, 'An error occurred while loading the submitted data.')
      const before = settings.current.logs
      const next = await settings.save(values, auditSettings(c, services, auth))
      if (JSON.stringify(next.logs) !== JSON.stringify(before)) forget(services)
      return sendJson(c, renderSettings(next))
    })
    .post('/test/email', async (c) => {
      const { auth, store } = await requireSuperuser(c, services)
      await sendTestMail(store, services, () => readForm(c, TEST_MAIL_FORM, { terse: true }))
      await auditRequest(c, services, auth, { action: 'test mail' })
      return c.body(null, 204)
    })
    .post('/test/s3', async (c) => {
      const { auth } = await requireSuperuser(c, services)
      const { filesystem } = await readForm(c, TEST_S3_FORM, { terse: true })
      const checks = { filesystem: [required, oneOf(['storage', 'backups'])] }
      checkFields({ filesystem }, checks, 'Failed to test the S3 filesystem.')
      const { s3, backups } = settings.current
      await auditRequest(c, services, auth, { action: 'test S3', record: filesystem })
      await testStorage(filesystem === 'backups', filesystem === 'backups' ? backups.s3 : s3).catch(
        (error) => {
          throw badRequest(`Failed to test the S3 filesystem. Raw error: \n${(error as Error).message}`)
        },
      )
      return c.body(null, 204)
    })
    .post('/apple/generate-client-secret', async (c) => {
      await requireSuperuser(c, services)
      const secret = await makeAppleSecret(await readForm(c, APPLE_SECRET_FORM, { terse: true }))
      return sendJson(c, JSON.stringify({ secret }))
    })
}

async function testStorage(isOfBackups: boolean, s3: S3Settings): Promise<void> {
  if (!s3.enabled) throw new Error('S3 storage filesystem is not enabled')
  if (!isOfBackups) throw new Error('Files are kept in the database')
  const { testS3 } = await import('../../backup/s3-storage.ts')
  await testS3(s3)
}

function forget({ store, settings, log }: Services): void {
  const failed = (error: unknown) => log.error({ err: error }, 'could not delete old logs')
  void deleteUnwantedLogs(store.forEverybody('sweep').db, settings.current.logs).catch(failed)
}

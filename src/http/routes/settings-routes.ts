import { APPLE_SECRET_FORM, makeAppleSecret } from '../../engine/auth/oauth2/apple-secret.ts'
import { sendTestMail, TEST_MAIL_FORM } from '../../engine/auth/test-mail.ts'
import { makeObjectShape, text } from '../../engine/fields/json-shapes.ts'
import { checkAllowed, checkFields, checkRequired } from '../../engine/fields/value-checks.ts'
import { deleteUnwantedLogs } from '../../engine/logs/request-log.ts'
import { renderSettings, type Settings } from '../../engine/settings/settings-shape.ts'
import { badRequest } from '../../platform/api-errors.ts'
import { allowSuperuser } from '../allow-callers.ts'
import { readForm } from '../body/form.ts'
import { readBodyOr } from '../body/read-body.ts'
import { makeRoutes, makeUndescribedRow } from '../make-routes.ts'
import { auditRequest, auditSettings } from '../middleware/audit-requests.ts'
import type { Services } from '../request-context.ts'
import { FORM_BYTES, MAX_BODY_BYTES } from '../route-limits.ts'
import { sendJson } from '../send-answer.ts'

const TEST_S3_FORM = makeObjectShape({ filesystem: text })

/** `/api/settings` for superusers. PocketBase: apis/settings.go, contract 7.4 */
export const SETTINGS_ROUTES = makeRoutes(
  '',
  {
    'GET /api/settings': makeUndescribedRow(allowSuperuser, 'no rows', ({ services }) =>
      renderSettings(services.settings.current),
    ),
    'PATCH /api/settings': {
      maxBytes: MAX_BODY_BYTES,
      ...makeUndescribedRow(allowSuperuser, 'superusers', async ({ auth, services }, c) => {
        const { settings } = services
        const { values } = await readBodyOr(
          c,
          'An error occurred while loading the submitted data.',
        )
        const before = settings.current.logs
        const next = await settings.save(values, auditSettings(c, auth))
        if (JSON.stringify(next.logs) !== JSON.stringify(before)) forgetUnwantedLogs(services)
        return renderSettings(next)
      }),
    },
    'POST /api/settings/test/email': {
      maxBytes: FORM_BYTES,
      ...makeUndescribedRow(allowSuperuser, 'no rows', async ({ auth, store, services }, c) => {
        const read = () => readForm(c, TEST_MAIL_FORM, { terse: true })
        await sendTestMail(store, services, c.env.incoming.language, read)
        await auditRequest(c, auth, { action: 'test mail' })
      }),
    },
    'POST /api/settings/test/s3': {
      maxBytes: FORM_BYTES,
      ...makeUndescribedRow(allowSuperuser, 'no rows', async ({ auth, services }, c) => {
        const { filesystem } = await readForm(c, TEST_S3_FORM, { terse: true })
        const checks = { filesystem: [checkRequired, checkAllowed(['storage', 'backups'])] }
        checkFields({ filesystem }, checks, 'Failed to test the S3 filesystem.')
        await auditRequest(c, auth, { action: 'test S3', record: filesystem })
        await testStorage(services.settings.current, filesystem === 'backups').catch((error) => {
          throw badRequest(`Failed to test the S3 filesystem. Raw error: \n${error.message}`)
        })
      }),
    },
    'POST /api/settings/apple/generate-client-secret': {
      maxBytes: FORM_BYTES,
      ...makeUndescribedRow(allowSuperuser, 'no rows', async (_, c) => ({
        secret: await makeAppleSecret(await readForm(c, APPLE_SECRET_FORM, { terse: true })),
      })),
    },
  },
  sendJson,
)

async function testStorage({ s3: files, backups }: Settings, isOfBackups: boolean): Promise<void> {
  const s3 = isOfBackups ? backups.s3 : files
  if (!s3.enabled) throw new Error('S3 storage filesystem is not enabled')
  if (!isOfBackups) throw new Error('Files are kept in the database')
  const { testS3 } = await import('../../engine/backup/s3-storage.ts')
  await testS3(s3)
}

function forgetUnwantedLogs({ store, settings, log }: Services): void {
  const failed = (error: unknown) => log.error({ err: error }, 'could not delete old logs')
  void deleteUnwantedLogs(store.forEverybody('sweep').db, settings.current.logs).catch(failed)
}

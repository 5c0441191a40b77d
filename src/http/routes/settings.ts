import { Hono } from 'hono'
import { sendTestMail, TEST_MAIL_FORM } from '../../auth/test-mail.ts'
import { renderSettings } from '../../collections/settings.ts'
import { ApiError, badRequest } from '../../errors.ts'
import { note, noteSettings } from '../audit.ts'
import { bodyOf, type Env, type Services, sendJson } from '../context.ts'
import { readForm } from '../form.ts'
import { requireSuperuser } from '../guards.ts'

/** `/api/settings`: what superusers may set while the server runs. PocketBase: apis/settings.go, contract 7.4 */
export const settingsRoutes = (services: Services) => {
  const { settings } = services
  return new Hono<Env>()
    .get('/', async (c) => {
      await requireSuperuser(c, services)
      return sendJson(c, renderSettings(settings.current))
    })
    .patch('/', async (c) => {
      const auth = await requireSuperuser(c, services)
      const { values } = await bodyOf(c).catch((error) => {
        throw error instanceof ApiError
          ? badRequest('An error occurred while loading the submitted data.')
          : error
      })
      return sendJson(c, renderSettings(await settings.save(values, noteSettings(c, services, auth))))
    })
    .post('/test/email', async (c) => {
      const auth = await requireSuperuser(c, services)
      await sendTestMail(services.store, services, () => readForm(c, TEST_MAIL_FORM))
      await note(c, services, auth, { action: 'test mail' })
      return c.body(null, 204)
    })
}

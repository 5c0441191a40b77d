import { Hono } from 'hono'
import { checkAddress } from '../../auth/sign-in/sign-in.ts'
import { findByToken } from '../../auth/tokens/identify.ts'
import { isBusy } from '../../backup/service/backups.ts'
import { readState } from '../../backup/service/state.ts'
import { readStatus } from '../../backup/service/status.ts'
import { ApiError, badRequest, forbidden, notFound, UserError } from '../../errors.ts'
import { formatDate } from '../../fields/types/date.ts'
import { type Ctx, type Env, queryOf, type Services } from '../context.ts'
import { sendFile } from '../files/send-file.ts'
import { BACKUP_FORM, checkName, checkUploadedBackup, noBackup, uploadedFile } from '../forms/backup-form.ts'
import { readForm } from '../forms/form.ts'
import { auditRequest } from '../middleware/audit.ts'
import { requireSuperuser } from '../middleware/guards.ts'
import { sendJson } from '../send-json.ts'
import { clientIp } from '../server/client-ip.ts'

const PIECE_BYTES = 256 << 10

/** `/api/backups` for superusers. PocketBase: apis/backup.go. `/api/backup-status` is our own. */
export const backupRoutes = (services: Services) =>
  new Hono<Env>()
    .get('/backup-status', async (c) => {
      await requireSuperuser(c, services)
      return sendJson(
        c,
        JSON.stringify(await readStatus(services.store.db, services.settings.current, services.config)),
      )
    })
    .get('/backups', async (c) => {
      await requireSuperuser(c, services)
      return sendJson(c, JSON.stringify(await listBackups(services)))
    })
    .post('/backups', (c) => create(c, services))
    .post('/backups/upload', (c) => upload(c, services))
    .get('/backups/:key', (c) => download(c, services))
    .delete('/backups/:key', (c) => remove(c, services))
    .post('/backups/:key/restore', (c) => restore(c, services))

async function listBackups({ backups }: Services): Promise<object[]> {
  try {
    const found = await (await backups.storage()).list()
    return found.map(({ key, size, modified }) => ({ modified: formatDate(modified), key, size }))
  } catch (error) {
    throw badRequest(`Failed to retrieve backup items. Raw error: \n${(error as Error).message}`)
  }
}

/** Answers when the backup is made, however long that takes. */
async function create(c: Ctx, services: Services): Promise<Response> {
  const auth = await requireSuperuser(c, services)
  const { backups, store } = services
  if ((await readState(store.db)).running) throw isBusy()
  const { name } = await readForm(c, BACKUP_FORM, { terse: true })
  await checkName(await backups.storage(), name)
  await auditRequest(c, services, auth, { action: 'create backup', record: name })
  await backups.create(name, String(auth.values.email)).catch((error) => {
    throw error instanceof ApiError ? error : badRequest('Failed to create backup.')
  })
  return c.body(null, 204)
}

async function upload(c: Ctx, services: Services): Promise<Response> {
  const auth = await requireSuperuser(c, services)
  const file = await uploadedFile(c)
  const { name, content } = await checkUploadedBackup(await services.backups.storage(), file)
  await services.backups.upload(name, content.pieces(PIECE_BYTES)).catch((error) => {
    if (error instanceof UserError) throw noBackup(error.message)
    throw error instanceof ApiError ? error : badRequest('Failed to upload backup.')
  })
  await auditRequest(c, services, auth, { action: 'upload backup', record: name })
  return c.body(null, 204)
}

/** Browsers send no header for a link, so the token in the address identifies the caller. */
async function download(c: Ctx, services: Services): Promise<Response> {
  const key = c.req.param('key') ?? ''
  const auth = await findByToken(services.store, queryOf(c).token ?? '', 'file')
  if (!auth?.isSuperuser) throw forbidden('Insufficient permissions to access the resource.')
  checkAddress(services, auth, clientIp(c, services))
  const storage = await services.backups.storage()
  const found = await storage.find(key).catch(() => {
    throw badRequest()
  })
  if (!found) throw notFound()
  await auditRequest(c, services, auth, { action: 'download backup', record: key })
  const read = (start: number, end: number) => storage.read(key, start, end)
  return sendFile(c, { ...found, type: 'application/zip', caching: 'no-store', read }, key)
}

async function remove(c: Ctx, services: Services): Promise<Response> {
  const auth = await requireSuperuser(c, services)
  const key = c.req.param('key') ?? ''
  if ((await readState(services.store.db)).running?.key === key)
    throw badRequest('The backup is currently being used and cannot be deleted.')
  const storage = await services.backups.storage()
  await storage.delete(key).catch((error) => {
    const reason =
      (error as NodeJS.ErrnoException).code === 'ENOENT' ? `[key: ${key}] resource not found` : error.message
    throw badRequest(`Invalid or already deleted backup file. Raw error: \n${reason}`)
  })
  await auditRequest(c, services, auth, { action: 'delete backup', record: key })
  return c.body(null, 204)
}

/** Answers when the restore begins: what became of it is in the status. */
async function restore(c: Ctx, services: Services): Promise<Response> {
  const auth = await requireSuperuser(c, services)
  const { backups, store } = services
  if ((await readState(store.db)).running) throw isBusy()
  const key = c.req.param('key') ?? ''
  const found = await (await backups.storage()).find(key).catch(() => undefined)
  if (!found) throw badRequest('Missing or invalid backup file.')
  await auditRequest(c, services, auth, { action: 'restore backup', record: key })
  await backups.startRestore(found, { auth, ip: clientIp(c, services) })
  return c.body(null, 204)
}

import type { Hono } from 'hono'
import { checkAddress } from '../../engine/auth/superuser-addresses.ts'
import { findByToken } from '../../engine/auth/tokens.ts'
import { BACKUP_NAME, MAX_BACKUP_NAME } from '../../engine/backup/backup-names.ts'
import { isBusy } from '../../engine/backup/backups.ts'
import type { BackupStorage } from '../../engine/backup/folder-storage.ts'
import { readState } from '../../engine/backup/state.ts'
import { readStatus } from '../../engine/backup/status.ts'
import { checkFields, failedBefore, length, matches } from '../../engine/collections/checks.ts'
import { formatDate } from '../../engine/fields/date.ts'
import { object, text } from '../../engine/fields/json-shapes.ts'
import { ApiError, badRequest, fieldError, forbidden, notFound, UserError } from '../../platform/errors.ts'
import { readForm } from '../body/form.ts'
import type { Ctx, Env, Services } from '../context.ts'
import { auditRequest } from '../middleware/audit.ts'
import { superuserRoutes } from '../middleware/require-caller.ts'
import { queryOf } from '../query.ts'
import { clientIp } from '../server/caller.ts'
import { sendFile } from './sent-file.ts'
import { checkUploadedBackup, EXISTS, exists, noBackup, uploadedFile } from './uploaded-backup.ts'

const PIECE_BYTES = 256 << 10

/** `/api/backups` for superusers. PocketBase: apis/backup.go. `/api/backup-status` is our own. */
export function backupRoutes(services: Services): Hono<Env> {
  const { backups, config, settings } = services
  const routes = superuserRoutes(services, {
    'GET /backup-status': ({ store: { db } }) => readStatus(db, settings.current, config),
    'GET /backups': () => listBackups(backups),
    'POST /backups': async ({ auth, store }, c) => {
      if ((await readState(store.db)).running) throw isBusy()
      const { name } = await readForm(c, BACKUP_FORM, { terse: true })
      await checkName(await backups.storage(), name)
      await auditRequest(c, services, auth, { action: 'create backup', record: name })
      await backups.create(name, String(auth.values.email)).catch((error) => {
        throw error instanceof ApiError ? error : badRequest('Failed to create backup.')
      })
    },
    'POST /backups/upload': async ({ auth }, c) => {
      const { name, content } = await checkUploadedBackup(await backups.storage(), await uploadedFile(c))
      await backups.upload(name, content.pieces(PIECE_BYTES)).catch((error) => {
        if (error instanceof UserError) throw noBackup(error.message)
        throw error instanceof ApiError ? error : badRequest('Failed to upload backup.')
      })
      await auditRequest(c, services, auth, { action: 'upload backup', record: name })
    },
    'DELETE /backups/:key': async ({ auth, store }, c, key) => {
      if ((await readState(store.db)).running?.key === key)
        throw badRequest('The backup is currently being used and cannot be deleted.')
      const storage = await backups.storage()
      await storage.delete(key).catch((error) => {
        const reason = error.code === 'ENOENT' ? `[key: ${key}] resource not found` : error.message
        throw badRequest(`Invalid or already deleted backup file. Raw error: \n${reason}`)
      })
      await auditRequest(c, services, auth, { action: 'delete backup', record: key })
    },
    // answers before the restore is done: `/api/backup-status` shows its result
    'POST /backups/:key/restore': async ({ auth, store }, c, key) => {
      if ((await readState(store.db)).running) throw isBusy()
      const found = await (await backups.storage()).find(key).catch(() => undefined)
      if (!found) throw badRequest('Missing or invalid backup file.')
      await auditRequest(c, services, auth, { action: 'restore backup', record: key })
      await backups.startRestore(found, { auth, ip: clientIp(c, services) })
    },
  })
  return routes.get('/backups/:key', (c) => download(c, services, c.req.param('key')))
}

async function listBackups(backups: Services['backups']): Promise<object[]> {
  try {
    const found = await (await backups.storage()).list()
    return found.map(({ key, size, modified }) => ({ modified: formatDate(modified), key, size }))
  } catch (error) {
    throw badRequest(`Failed to retrieve backup items. Raw error: \n${(error as Error).message}`)
  }
}

/** Sends a backup. Browsers send no header for a link, so a token in the URL identifies the caller. */
async function download(c: Ctx, services: Services, key: string): Promise<Response> {
  const auth = await findByToken(services.store.signIn, queryOf(c).token ?? '', 'file')
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

const BACKUP_FORM = object({ name: text })

async function checkName(storage: BackupStorage, name: string): Promise<void> {
  const isTaken = BACKUP_NAME.test(name) && (await exists(storage, name))
  const taken = isTaken ? fieldError(EXISTS, 'The backup file name is invalid or already exists.') : undefined
  checkFields({ name }, { name: [length(1, MAX_BACKUP_NAME), matches(BACKUP_NAME), failedBefore(taken)] })
}

import { readFile } from 'node:fs/promises'
import PocketBase from 'pocketbase'
import { findS3Server, NO_S3_SERVER, startS3Server } from '../support/s3-server.ts'
import { type Desk, flip, named, popup, press, same, succeeded, visit } from './desk.ts'

const RESTORED_MS = 60_000

const content = ({ page }: Desk) => page.locator('.page-content')
const rows = ({ page }: Desk) =>
  page.locator('.backups-list .list-item', { has: page.locator('.backup-name') })
const row = (desk: Desk, key: string) => rows(desk).filter({ hasText: key })

/** Presses one of the buttons of a backup, which show when the pointer is over it. */
async function pressIn(desk: Desk, key: string, name: string): Promise<void> {
  await row(desk, key).hover()
  await row(desk, key).getByLabel(name).click()
}

async function create(desk: Desk, name: string): Promise<void> {
  await press(content(desk), 'Initialize new backup')
  await popup(desk).locator('input[name=name]').fill(name)
  await press(popup(desk), 'Start backup')
  await succeeded(desk, 'Successfully generated new backup')
  await row(desk, name).waitFor()
}

/** Downloads a backup, answers where the file is. */
async function download(desk: Desk, key: string): Promise<string> {
  const saving = desk.page.waitForEvent('download')
  await pressIn(desk, key, 'Download')
  const path = await (await saving).path()
  same((await readFile(path)).subarray(0, 2).toString(), 'PK', 'the first bytes of the download')
  return path
}

async function upload(desk: Desk, name: string, path: string): Promise<void> {
  const file = { name, mimeType: 'application/zip', buffer: await readFile(path) }
  await desk.page.locator('.page-content input[type=file]').setInputFiles(file)
  await press(popup(desk), 'Yes')
  await succeeded(desk, 'Successfully uploaded a new backup')
  await row(desk, name).waitFor()
}

async function remove(desk: Desk, key: string): Promise<void> {
  await pressIn(desk, key, 'Delete')
  await press(popup(desk), 'Yes')
  await succeeded(desk, `Successfully deleted ${key}`)
  await row(desk, key).waitFor({ state: 'detached' })
}

async function restore(desk: Desk, key: string): Promise<void> {
  await pressIn(desk, key, 'Restore')
  await popup(desk).locator('input[name=key]').fill(key)
  await press(popup(desk), 'Restore backup')
}

/** The server’s own client: what the dashboard shows is not enough to see when a restore is over. */
async function client({ url, email, password }: Desk): Promise<PocketBase> {
  const pb = new PocketBase(url)
  await pb.collection('_superusers').authWithPassword(email, password)
  return pb
}

async function awaitRestored(pb: PocketBase, key: string): Promise<void> {
  for (const end = Date.now() + RESTORED_MS; ; ) {
    const status = await pb.send('/api/backup-status', {}).catch(() => undefined)
    if (status?.lastRestore?.key === key && !status.running) return
    if (Date.now() > end) throw new Error(`${key} is not restored: ${JSON.stringify(status)}`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

/** Makes, downloads, uploads, restores and deletes a backup; what was made after it is gone then. */
async function playThrough(desk: Desk, prefix: string): Promise<void> {
  const [made, uploaded] = [`${prefix}_made.zip`, `${prefix}_uploaded.zip`]
  await create(desk, made)
  await upload(desk, uploaded, await download(desk, made))
  await desk.shot(`backups-${prefix}`)
  const pb = await client(desk)
  const { id } = await pb.collection('_superusers').create({
    email: `${prefix}@example.com`,
    password: 'a-long-password',
    passwordConfirm: 'a-long-password',
  })
  await mayFindItClosed(desk, async () => {
    await restore(desk, uploaded)
    await desk.shot(`backups-${prefix}-restore`)
    await awaitRestored(pb, uploaded)
    await visit(desk, '/settings/backups')
    await desk.page.reload()
    await row(desk, made).waitFor()
  })
  const still = await pb
    .collection('_superusers')
    .getOne(id)
    .catch(() => undefined)
  same(still, undefined, 'the superuser who came after the backup')
  await remove(desk, made)
  await remove(desk, uploaded)
}

/** The dashboard goes on asking while the server restores, and is told to come again. */
async function mayFindItClosed({ faults }: Desk, work: () => Promise<void>): Promise<void> {
  const before = faults.length
  await work()
  faults.push(...faults.splice(before).filter((fault) => !/: 503 /.test(fault)))
}

export async function backupsInFolder(desk: Desk): Promise<void> {
  await visit(desk, '/settings/backups')
  await playThrough(desk, 'folder')
}

export async function backupsInS3(desk: Desk): Promise<void> {
  if (!findS3Server()) throw new Error(NO_S3_SERVER)
  const s3 = await startS3Server()
  try {
    await visit(desk, '/settings/backups')
    await press(content(desk), 'Backup options')
    await flip(desk, content(desk), 's3.enabled')
    for (const name of ['endpoint', 'bucket', 'region', 'accessKey', 'secret'] as const)
      await (await named(desk, content(desk), `s3.${name}`)).fill(s3.settings[name])
    await flip(desk, content(desk), 's3.forcePathStyle')
    await press(content(desk), 'Save changes')
    await succeeded(desk, /Successfully/)
    await desk.shot('backups-s3-settings')
    await playThrough(desk, 's3')
    const pb = await client(desk)
    await pb.settings.update({ backups: { s3: { enabled: false } } })
  } finally {
    await s3.stop()
  }
}

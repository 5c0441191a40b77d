import { readFile } from 'node:fs/promises'
import PocketBase from 'pocketbase'
import { findS3Server, NO_S3_SERVER, startS3Server } from '../support/services/s3-server.ts'
import {
  type DashboardFixture,
  flip,
  named,
  popup,
  press,
  same,
  succeeded,
  visit,
} from './dashboard-fixture.ts'

const RESTORED_MS = 60_000

const content = ({ page }: DashboardFixture) => page.locator('.page-content')
const rows = ({ page }: DashboardFixture) =>
  page.locator('.backups-list .list-item', { has: page.locator('.backup-name') })
const row = (fixture: DashboardFixture, key: string) => rows(fixture).filter({ hasText: key })

/** Presses one of the buttons of a backup, which show when the pointer is over it. */
async function pressIn(fixture: DashboardFixture, key: string, name: string): Promise<void> {
  await row(fixture, key).hover()
  await row(fixture, key).getByLabel(name).click()
}

async function create(fixture: DashboardFixture, name: string): Promise<void> {
  await press(content(fixture), 'Initialize new backup')
  await popup(fixture).locator('input[name=name]').fill(name)
  await press(popup(fixture), 'Start backup')
  await succeeded(fixture, 'Successfully generated new backup')
  await row(fixture, name).waitFor()
}

/** Downloads a backup, answers where the file is. */
async function download(fixture: DashboardFixture, key: string): Promise<string> {
  const saving = fixture.page.waitForEvent('download')
  await pressIn(fixture, key, 'Download')
  const path = await (await saving).path()
  same((await readFile(path)).subarray(0, 2).toString(), 'PK', 'the first bytes of the download')
  return path
}

async function upload(fixture: DashboardFixture, name: string, path: string): Promise<void> {
  const file = { name, mimeType: 'application/zip', buffer: await readFile(path) }
  await fixture.page.locator('.page-content input[type=file]').setInputFiles(file)
  await press(popup(fixture), 'Yes')
  await succeeded(fixture, 'Successfully uploaded a new backup')
  await row(fixture, name).waitFor()
}

async function remove(fixture: DashboardFixture, key: string): Promise<void> {
  await pressIn(fixture, key, 'Delete')
  await press(popup(fixture), 'Yes')
  await succeeded(fixture, `Successfully deleted ${key}`)
  await row(fixture, key).waitFor({ state: 'detached' })
}

async function restore(fixture: DashboardFixture, key: string): Promise<void> {
  await pressIn(fixture, key, 'Restore')
  await popup(fixture).locator('input[name=key]').fill(key)
  await press(popup(fixture), 'Restore backup')
}

/** The server’s own client: what the dashboard shows is not enough to see when a restore is over. */
async function client({ url, email, password }: DashboardFixture): Promise<PocketBase> {
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
async function playThrough(fixture: DashboardFixture, prefix: string): Promise<void> {
  const [made, uploaded] = [`${prefix}_made.zip`, `${prefix}_uploaded.zip`]
  await create(fixture, made)
  await upload(fixture, uploaded, await download(fixture, made))
  await fixture.shot(`backups-${prefix}`)
  const pb = await client(fixture)
  const { id } = await pb.collection('_superusers').create({
    email: `${prefix}@example.com`,
    password: 'a-long-password',
    passwordConfirm: 'a-long-password',
  })
  await mayFindItClosed(fixture, async () => {
    await restore(fixture, uploaded)
    await fixture.shot(`backups-${prefix}-restore`)
    await awaitRestored(pb, uploaded)
    await visit(fixture, '/settings/backups')
    await fixture.page.reload()
    await row(fixture, made).waitFor()
  })
  const still = await pb
    .collection('_superusers')
    .getOne(id)
    .catch(() => undefined)
  same(still, undefined, 'the superuser who came after the backup')
  await remove(fixture, made)
  await remove(fixture, uploaded)
}

/** The dashboard goes on asking while the server restores, and is told to come again. */
async function mayFindItClosed({ faults }: DashboardFixture, work: () => Promise<void>): Promise<void> {
  const before = faults.length
  await work()
  faults.push(...faults.splice(before).filter((fault) => !/: 503 /.test(fault)))
}

export async function backupsInFolder(fixture: DashboardFixture): Promise<void> {
  await visit(fixture, '/settings/backups')
  await playThrough(fixture, 'folder')
}

export async function backupsInS3(fixture: DashboardFixture): Promise<void> {
  if (!findS3Server()) throw new Error(NO_S3_SERVER)
  const s3 = await startS3Server()
  try {
    await visit(fixture, '/settings/backups')
    await press(content(fixture), 'Backup options')
    await flip(fixture, content(fixture), 's3.enabled')
    for (const name of ['endpoint', 'bucket', 'region', 'accessKey', 'secret'] as const)
      await (await named(fixture, content(fixture), `s3.${name}`)).fill(s3.settings[name])
    await flip(fixture, content(fixture), 's3.forcePathStyle')
    await press(content(fixture), 'Save changes')
    await succeeded(fixture, /Successfully/)
    await fixture.shot('backups-s3-settings')
    await playThrough(fixture, 's3')
    const pb = await client(fixture)
    await pb.settings.update({ backups: { s3: { enabled: false } } })
  } finally {
    await s3.stop()
  }
}

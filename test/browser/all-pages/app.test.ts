import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { makePhoto } from '../../support/pictures.ts'
import { type BrowserFixture, scenario } from '../support/browser-fixture.ts'
import { BEN, makeTeam } from '../support/team.ts'

interface Manifest {
  readonly start_url: string
  readonly icons: readonly Picture[]
  readonly screenshots: readonly Picture[]
  readonly shortcuts: readonly { readonly url: string }[]
  readonly share_target: { readonly action: string }
}

interface Picture {
  readonly src: string
  readonly type: string
  readonly sizes: string
}

/** Shares a picture with words by a form, as a phone's gallery does. The page must allow forms. */
async function share(page: Page, action: string): Promise<void> {
  const photo = (await makePhoto('whatsapp')).toString('base64')
  await page.evaluate(`{
    const form = document.createElement('form')
    Object.assign(form, { method: 'POST', enctype: 'multipart/form-data', action: '${action}' })
    const add = (name, value) => {
      const field = form.appendChild(document.createElement('input'))
      Object.assign(field, { name, value })
    }
    add('title', 'Your parcel')
    add('text', 'Your parcel')
    const files = form.appendChild(document.createElement('input'))
    Object.assign(files, { name: 'files', type: 'file' })
    const chosen = new DataTransfer()
    const bytes = Uint8Array.from(atob('${photo}'), (each) => each.charCodeAt(0))
    chosen.items.add(new File([bytes], 'parcel.jpg', { type: 'image/jpeg' }))
    files.files = chosen.files
    document.body.append(form)
    form.submit()
  }`)
}

/** Shares to the console of a member who is signed out, and has no account but the team's. */
async function shareAsMember(fixture: BrowserFixture, action: string): Promise<void> {
  const { page } = await fixture.another()
  await page.goto(fixture.url)
  await page.getByLabel('Password').waitFor()
  await page.evaluate('navigator.serviceWorker.ready.then(() => true)')
  await fixture.refused(/: 404$/, () => page.goto(`${fixture.url}/join/none`))
  await share(page, action)
  await page.getByLabel('Email').fill(BEN.email)
  await page.getByLabel('Password').fill(BEN.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expectShared(page)
}

/** The page Send has the shared picture and words. */
async function expectShared(page: Page): Promise<void> {
  await page.getByRole('img', { name: 'parcel.jpg' }).first().waitFor()
  expect(await page.getByLabel('Text', { exact: true }).last().inputValue()).toBe('Your parcel')
}

scenario(
  'the console can be installed as an app with a manifest, icons, a badge and an offline page',
  async (fixture) => {
    const { page, url } = fixture
    const phone = await makeTeam(fixture, true)
    await phone.beat({ mms: true })
    await page.addInitScript(`
    Navigator.prototype.setAppBadge = async (count) => { window.badge = count }
    Navigator.prototype.clearAppBadge = async () => { window.badge = 0 }`)
    await fixture.signIn()
    const address = String(
      await page.evaluate(`document.querySelector('link[rel="manifest"]').href`),
    )
    const manifest = (await (await fetch(address)).json()) as Manifest
    expect(new URL(manifest.start_url, address).pathname).toBe('/')
    for (const { src, type, sizes } of [...manifest.icons, ...manifest.screenshots]) {
      const picture = await fetch(new URL(src, address))
      expect(picture.headers.get('content-type')).toBe(type)
      const { width, height } = await sharp(await picture.arrayBuffer()).metadata()
      expect(`${width}x${height}`).toBe(sizes)
    }
    for (const shortcut of manifest.shortcuts)
      await fixture.visit(new URL(shortcut.url, address).hash.slice(1))

    await phone.hear('+4915112345678', 'Are you open?')
    await expect.poll(() => page.evaluate('window.badge')).toBe(1)

    await page.evaluate('navigator.serviceWorker.ready.then(() => true)')
    await fixture.refused(/: 404$/, () => page.goto(`${url}/join/none`))
    const action = new URL(manifest.share_target.action, address).href
    await share(page, action)
    await expectShared(page)
    await fixture.visit('/conversations')
    await shareAsMember(fixture, action)

    await page.context().setOffline(true)
    await fixture.refused(/: 503$/, async () => {
      await page.reload()
      await page.getByRole('heading', { name: 'The server cannot be reached' }).waitFor()
      await fixture.look('offline')
      await page.context().setOffline(false)
      await page.getByRole('heading', { name: 'Conversations', exact: true }).waitFor()
    })
  },
)

import { scenario } from '../support/browser-fixture.ts'
import { pairPhone } from '../support/phone.ts'

interface Manifest {
  readonly start_url: string
  readonly icons: readonly { readonly src: string; readonly type: string }[]
}

scenario(
  'the console can be installed as an app with a manifest, icons, a badge and an offline page',
  async (fixture) => {
    const { page, url } = fixture
    const phone = await pairPhone(url, await fixture.ann(), 'Desk phone')
    await page.addInitScript(`
    Navigator.prototype.setAppBadge = async (count) => { window.badge = count }
    Navigator.prototype.clearAppBadge = async () => { window.badge = 0 }`)
    await fixture.signIn()
    const address = String(
      await page.evaluate(`document.querySelector('link[rel="manifest"]').href`),
    )
    const manifest = (await (await fetch(address)).json()) as Manifest
    expect(new URL(manifest.start_url, address).pathname).toBe('/')
    for (const { src, type } of manifest.icons)
      expect((await fetch(new URL(src, address))).headers.get('content-type')).toBe(type)

    await phone.hear('+4915112345678', 'Are you open?')
    await expect.poll(() => page.evaluate('window.badge')).toBe(1)

    await page.evaluate('navigator.serviceWorker.ready.then(() => true)')
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

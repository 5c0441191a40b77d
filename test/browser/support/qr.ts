import type { Page } from 'playwright-core'
import decodeQR from 'qr/decode.js'

const SIDE = 400

/** Draws the page's QR code with this label anew, as a camera would see it. Evaluated in the page. */
const pixelsOf = (label: string) => `(async () => {
  const svg = document.querySelector(${JSON.stringify(`.qr[aria-label=${JSON.stringify(label)}]`)}).cloneNode(true)
  svg.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
  svg.setAttribute('width', ${SIDE})
  svg.setAttribute('height', ${SIDE})
  const image = new Image()
  image.src = 'data:image/svg+xml,' + encodeURIComponent(svg.outerHTML)
  await image.decode()
  const canvas = Object.assign(document.createElement('canvas'), { width: ${SIDE}, height: ${SIDE} })
  const context = canvas.getContext('2d')
  context.drawImage(image, 0, 0)
  return [...context.getImageData(0, 0, ${SIDE}, ${SIDE}).data]
})()`

/** What the QR code with this label on a page says. Throws when none can be read. */
export async function readQr(page: Page, label: string): Promise<string> {
  const pixels = (await page.evaluate(pixelsOf(label))) as number[]
  return decodeQR({ width: SIDE, height: SIDE, data: Uint8ClampedArray.from(pixels) })
}

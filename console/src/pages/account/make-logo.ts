import { t } from '../../language/words.ts'

/** Enough for a logo of 64 pixels of height on sharp screens. */
const [MAX_WIDTH, MAX_HEIGHT] = [480, 160]

/** A picture as a logo: a small PNG, without the places and devices that cameras write beside a picture. */
export async function makeLogo(file: File): Promise<File> {
  const picture = await createImageBitmap(file).catch(() => {
    throw new Error(t('{name} is no picture that this browser can read', { name: file.name }))
  })
  const scale = Math.min(1, MAX_WIDTH / picture.width, MAX_HEIGHT / picture.height)
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(picture.width * scale))
  canvas.height = Math.max(1, Math.round(picture.height * scale))
  canvas.getContext('2d')!.drawImage(picture, 0, 0, canvas.width, canvas.height)
  const contents = await new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/png'))
  return new File([contents!], 'logo.png', { type: 'image/png' })
}

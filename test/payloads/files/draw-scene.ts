import sharp from 'sharp'

/**
 * Draws a hill below a sky, as raw pixels, the same each time. `grain` is the noise of the sensor: at 0 a
 * JPEG is as small as a drawing, at 40 as large as a photo of leaves.
 */
export function drawScene(width: number, height: number, grain = 12) {
  const pixels = Buffer.allocUnsafe(width * height * 3)
  let random = 42
  let at = 0
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      random = (Math.imul(random, 1_103_515_245) + 12_345) >>> 0
      const noise = ((random >>> 16) / 65_536 - 0.5) * 2 * grain
      const isHill = y > height * (0.6 + 0.15 * Math.sin((x / width) * 6))
      const light = (y / height) * 80
      pixels[at++] = clamp((isHill ? 70 : 90) + light + noise)
      pixels[at++] = clamp((isHill ? 150 : 140) - light / 2 + noise)
      pixels[at++] = clamp((isHill ? 60 : 230) - light + noise)
    }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
}

const clamp = (value: number) => Math.max(0, Math.min(255, value))

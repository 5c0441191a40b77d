import sharp from 'sharp'
import { makeUserHolder } from '../../../../src/engine/collections/collection.ts'
import {
  prepareMedia,
  preparePictures,
} from '../../../../src/gateway/messages/send/prepare-media.ts'
import { admission } from '../../../../src/platform/limits/shared-limits.ts'
import { until } from '../../../support/until.ts'
import { SMALL } from './mms-fixture.ts'

// An account whose send has many slow pictures decodes one a turn, and others in between.

/** A WebP is always decoded. */
const bytes = await sharp({
  create: { width: 2_000, height: 2_000, channels: 3, background: 'teal' },
})
  .webp()
  .toBuffer()
const slow = Array.from({ length: 10 }, (_, i) => ({ name: `${i}.webp`, bytes }))
const [crowd, other] = [makeUserHolder('crowd'), makeUserHolder('other')]
const MAX_BYTES = 300_000

test.each([
  ['a send', () => prepareMedia(crowd, '', slow, MAX_BYTES)],
  ['an alarm', () => preparePictures(crowd, slow, MAX_BYTES, () => expect.unreachable())],
])(
  'beside %s with ten slow pictures, a picture of another account waits for one',
  async (_, work) => {
    let isOver = false
    const many = work().then(({ files }) => {
      isOver = true
      expect(files).toHaveLength(10)
    })
    await until('the first is decoded', () => admission.pictures.use.running === 1)
    const one = await prepareMedia(other, '', [{ name: 'a.jpg', bytes: SMALL }], MAX_BYTES)
    expect(one.files).toHaveLength(1)
    expect(isOver).toBe(false)
    await many
  },
)

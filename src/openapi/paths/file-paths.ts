import { z } from 'zod'
import type { ZodOpenApiPathsObject } from 'zod-openapi'
import { failures, fileAnswers, success } from '../schemas/answers.ts'
import { chapter } from '../schemas/operations.ts'
import { ANYONE, SIGNED_IN } from '../schemas/security.ts'
import { SERVER } from './server-paths.ts'

const TOKEN = z.object({ token: z.string() }).meta({ id: 'FileToken' })

const PLACE = z.object({
  collection: z.string().describe('Name or id of the collection.'),
  record: z.string().describe('Id of the record.'),
  filename: z.string().describe('The name that the record has in one of its file fields.'),
})

const OPTIONS = z.object({
  thumb: z.string().optional().meta({
    description:
      'Of a PNG, JPEG, GIF or WebP a small copy: `100x100`, or a size of the field. `WxH` is cut to the middle, with `t` to the top, `b` to the bottom; `f` cuts nothing; `Wx0`, `0xH` keep the proportions. For anything else the file itself comes.',
    example: '100x100',
  }),
  download: z.string().optional().describe('`1`: to be saved, not shown.'),
  token: z.string().optional().describe('Of `POST /api/files/token`: for files of a protected field.'),
})

/** The files that records name. */
export const filePaths = (): ZodOpenApiPathsObject =>
  chapter(SERVER, SIGNED_IN, {
    'POST /api/files/token': {
      id: 'fileToken',
      summary: 'Get a token for links to protected files',
      description: 'Good for three minutes. It opens what its owner may view.',
      responses: [success('The token.', TOKEN), failures(400, 401)],
    },
    'GET /api/files/{collection}/{record}/{filename}': {
      id: 'file',
      summary: 'Get a file of a record',
      description:
        'Whoever knows the name may, but for protected fields: for those the viewRule counts. Ranges and `If-Modified-Since` work.',
      security: ANYONE,
      params: { path: PLACE, query: OPTIONS },
      responses: fileAnswers(),
    },
  })

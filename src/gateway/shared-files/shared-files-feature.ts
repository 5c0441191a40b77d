import { allowEverybody } from '../../http/allow-callers.ts'
import { makeRoutes } from '../../http/make-routes.ts'
import { SERVER_TAG } from '../../http/openapi/describe-operations.ts'
import { FILE } from '../../http/openapi/success-answers.ts'
import { sendStoredFile } from '../../http/routes/files.ts'
import { notFound } from '../../platform/api-errors.ts'
import type { Feature } from '../base/feature.ts'
import { describePageAnswers } from '../consent/describe-consent-pages.ts'
import { sendErrorPage } from '../consent/routes.ts'
import { findLinkedFile, LINK_DAYS } from '../messages/send/file-links.ts'

/** Only browsers keep a file, and not for long. */
const CACHING = 'private, max-age=180'

/** `/f`: files of texts that were sent instead of an MMS, for people who get texts. */
export const SHARED_FILES: Feature = {
  api: { roots: ['/f'], group: 'pages', errorForm: sendErrorPage },
  rows: makeRoutes(SERVER_TAG, {
    'GET /f/:token': {
      permission: allowEverybody(),
      bound: {
        cost: 'the size of the file',
        by: 'a forged token costs one lookup of the key; pieces of 64 kB',
      },
      describe: {
        id: 'sharedFile',
        summary: 'Get a file by the link in a text',
        description: `The text was sent with \`mms\` \`or_link\`. The link works for ${LINK_DAYS} days after the text, until the file is deleted.`,
        responses: {
          ...FILE,
          ...describePageAnswers({ 404: 'The link is wrong or too old, or the file was deleted.' }),
        },
      },
      run: async (_, c, token) => {
        const { db } = c.env.incoming.openStore(null)
        const file = await findLinkedFile(db, token)
        if (!file) throw notFound()
        c.header('x-robots-tag', 'noindex')
        return sendStoredFile(c, db, file, { caching: CACHING })
      },
    },
  }),
}

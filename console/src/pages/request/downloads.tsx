import { pb } from '../../data/client.ts'
import { download } from '../../data/files/save-file.ts'
import type { PersonRequest } from '../../data/personal-data.ts'
import { t } from '../../language/words.ts'
import { Button } from '../../parts/form/form.tsx'
import { formatDateTime } from '../../parts/time.tsx'
import { attempt } from '../../parts/toast.tsx'

/** The files of an export that is done. */
export function Downloads({ request }: { request: PersonRequest }) {
  const { files, expires_at } = request
  if (files.length === 0)
    return (
      <p class="muted">
        {t(
          'The files were deleted, after a day or because a person was erased. Export the data again if you need them.',
        )}
      </p>
    )
  const [json, page, ...copies] = files
  const save = (name = '') => void saveFile(request, name)
  return (
    <>
      <div class="row">
        <Button kind="primary" icon="download" onClick={() => save(page)}>
          {t('Save the readable page')}
        </Button>
        <Button icon="download" onClick={() => save(json)}>
          {t('Save as JSON')}
        </Button>
      </div>
      {copies.length > 0 && (
        <section class="stack">
          <h3>{t('Files of messages')}</h3>
          <div class="row">
            {copies.map((name) => (
              <Button key={name} kind="quiet" icon="download" onClick={() => save(name)}>
                {name}
              </Button>
            ))}
          </div>
        </section>
      )}
      <p class="muted">
        {t('The server keeps the files until {time}.', { time: formatDateTime(expires_at) })}
      </p>
    </>
  )
}

/** Saves a file under its stored name: the readable page links to the other files by these names. */
const saveFile = (request: PersonRequest, name: string) =>
  attempt(async () =>
    download(name, pb.files.getURL(request, name, { token: await pb.files.getToken(), download: true })),
  )

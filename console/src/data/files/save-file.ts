/** Saves a CSV file. */
export function saveFile(name: string, content: string | Blob): void {
  const url = URL.createObjectURL(
    content instanceof Blob ? content : new Blob([content], { type: 'text/csv' }),
  )
  downloadUrl(name, url)
  // waits a minute, so that the download has begun
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

export function downloadUrl(name: string, url: string): void {
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
}

/** Files of the dashboard that the service does not have, as after an update, or did not send. */
export class FilesNotRead extends Error {
  /** Keeps the message, by which the router knows that loading the page again may help. */
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : 'files were not read', { cause });
  }
}

/**
 * Reads files of the dashboard. Offline, waits for the connection and reads them then: a page whose
 * files cannot be read would otherwise fail, with what was typed in it. Throws `FilesNotRead`.
 */
export async function whenOnline<Files>(read: () => Promise<Files>): Promise<Files> {
  try {
    return await read();
  } catch (error) {
    if (navigator.onLine) throw new FilesNotRead(error);
    await new Promise((resolve) => {
      addEventListener('online', resolve, { once: true });
    });
    return whenOnline(read);
  }
}

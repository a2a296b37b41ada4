/**
 * Reads files of the dashboard. Offline, waits for the connection and reads them then: a page whose
 * files cannot be read would otherwise fail, with what was typed in it.
 */
export async function whenOnline<Files>(read: () => Promise<Files>): Promise<Files> {
  try {
    return await read();
  } catch (error) {
    if (navigator.onLine) throw error;
    await new Promise((resolve) => {
      addEventListener('online', resolve, { once: true });
    });
    return whenOnline(read);
  }
}

/** Returns an authenticator's signed response, or null if the person or the browser refused. */
export async function sign(options) {
  try {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options);
    return (await navigator.credentials.get({ publicKey })).toJSON();
  } catch {
    return null;
  }
}

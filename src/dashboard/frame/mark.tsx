/** The service's mark: a gate with an opening. */
export const Mark = () => <img src="/mark.svg" alt="" width={24} height={24} />;

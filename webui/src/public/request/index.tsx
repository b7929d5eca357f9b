import { enterRequest, readRequest, type RequestForm } from '../../api/requests';
import { useT } from '../../i18n';
import { pages } from '../../pages';
import { GateView, useGate } from '../../shared/gate';
import { PageHeading, usePageTitle } from '../../shared/page';
import { changeVisit, visitOf } from '../../shared/requests/visit';
import { Skeleton } from '../../shared/ui';
import { Queries } from '../../shared/query/Queries';
import { SendForm } from './SendForm';
import styles from './request.module.css';

/** RequestPage is where people without an account send files to whoever gave them the link. */
export default function RequestPage({ slug }: { slug: string }) {
  const t = useT();
  const enter = async (password: string, signal: AbortSignal) => {
    const form = await enterRequest(slug, password, signal);
    changeVisit(slug, { secret: form.visit });
    return form;
  };
  const control = useGate<RequestForm>(`request/${slug}`, {
    async peek(signal) {
      const form = await readRequest(slug, visitOf(slug).secret, signal);
      return { requiresPassword: form.has_password && !form.visit, isLastView: false };
    },
    async read(signal) {
      const { secret } = visitOf(slug);
      const form = secret ? await readRequest(slug, secret, signal) : undefined;
      return form?.visit ? form : enter('', signal);
    },
    unlock: enter,
  });
  const { gate } = control;
  usePageTitle(gate.state === 'open' ? gate.share.title : t(pages.request.title));

  const said = (why: 'gone' | 'unknown') => ({
    title: t(`request.${why}.title`),
    body: t(`request.${why}.body`),
  });
  return (
    <GateView
      control={control}
      title={t('request.place')}
      closed={{ gone: said('gone'), missing: said('unknown') }}
      loading={
        <div className={styles.page}>
          <PageHeading className="visually-hidden">{t('request.place')}</PageHeading>
          <Skeleton lines={2} />
          <Skeleton height={240} />
        </div>
      }
    >
      {(form) => (
        <Queries>
          <SendForm slug={slug} form={form} />
        </Queries>
      )}
    </GateView>
  );
}

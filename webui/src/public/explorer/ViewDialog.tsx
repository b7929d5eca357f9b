import { useT } from '../../i18n';
import { Button, Dialog, Field, SelectField } from '../../shared/ui';
import type { SortBy } from './entries';
import styles from './explorer.module.css';
import { columns as listColumns, plainGallery, setTaste, useTaste, type GalleryTaste } from './taste';

const sorts: readonly SortBy[] = ['name', 'size', 'modified', 'type'];
const lanes = [0, 2, 3, 4, 5, 6];

/** ViewDialog asks how folders are shown; every choice is seen at once behind it. */
export default function ViewDialog({ onClose }: { onClose: () => void }) {
  const t = useT();
  const { view, sort, gallery, readme, columns } = useTaste();
  const change = (part: Partial<GalleryTaste>) => setTaste({ gallery: { ...gallery, ...part } });
  const changed = Object.entries(plainGallery).some(
    ([name, value]) => gallery[name as keyof GalleryTaste] !== value,
  );
  return (
    <Dialog
      title={t('explorer.view.title')}
      onClose={onClose}
      footer={<Button onClick={onClose}>{t('common.close')}</Button>}
    >
      <div className={styles.form}>
        <SelectField
          data-autofocus=""
          label={t('explorerDialogs.view.sort')}
          value={sort}
          choices={[
            { value: 'default', label: t('explorerDialogs.view.sorts.default') },
            ...sorts.flatMap((by) =>
              ['asc', 'desc'].map((order) => ({
                value: `${by} ${order}`,
                label: t(`explorerDialogs.view.sorts.${by}_${order}`),
              })),
            ),
          ]}
          onChange={(event) => setTaste({ sort: event.target.value as typeof sort })}
        />
        {view === 'list' && (
          <fieldset className={styles.options}>
            <legend>{t('explorerDialogs.view.listColumns')}</legend>
            {listColumns.map((column) => (
              <label key={column} className={styles.choice}>
                <input
                  type="checkbox"
                  checked={columns.includes(column)}
                  onChange={({ target }) =>
                    setTaste({
                      columns: listColumns.filter((one) =>
                        one === column ? target.checked : columns.includes(one),
                      ),
                    })
                  }
                />
                {t(`explorer.list.${column}`)}
              </label>
            ))}
          </fieldset>
        )}
        {view === 'gallery' && (
          <fieldset className={styles.options}>
            <legend>{t('explorerDialogs.view.gallery')}</legend>
            <SelectField
              label={t('explorerDialogs.view.columns')}
              value={String(gallery.columns)}
              choices={lanes.map((count) => ({
                value: String(count),
                label: count === 0 ? t('explorerDialogs.view.auto') : String(count),
              }))}
              onChange={(event) => change({ columns: Number(event.target.value) })}
            />
            {gallery.columns === 0 && (
              <Slider
                label={t('explorerDialogs.view.width')}
                value={gallery.width}
                range={[120, 800, 20]}
                onChange={(width) => change({ width })}
              />
            )}
            <Slider
              label={t('explorerDialogs.view.gapX')}
              value={gallery.gapX}
              range={[0, 48, 2]}
              onChange={(gapX) => change({ gapX })}
            />
            <Slider
              label={t('explorerDialogs.view.gapY')}
              value={gallery.gapY}
              range={[0, 48, 2]}
              onChange={(gapY) => change({ gapY })}
            />
            <label className={styles.choice}>
              <input
                type="checkbox"
                checked={gallery.imagesOnly}
                onChange={(event) => change({ imagesOnly: event.target.checked })}
              />
              {t('explorerDialogs.view.imagesOnly')}
            </label>
            <Button
              className={styles.start ?? ''}
              disabled={!changed}
              onClick={() => setTaste({ gallery: plainGallery })}
            >
              {t('explorerDialogs.view.reset')}
            </Button>
          </fieldset>
        )}
        <label className={styles.choice}>
          <input
            type="checkbox"
            checked={readme}
            onChange={(event) => setTaste({ readme: event.target.checked })}
          />
          {t('explorerDialogs.view.readme')}
        </label>
      </div>
    </Dialog>
  );
}

interface SliderProps {
  label: string;
  /** value in px. */
  value: number;
  range: [least: number, most: number, step: number];
  onChange: (value: number) => void;
}

function Slider({ label, value, range: [min, max, step], onChange }: SliderProps) {
  const t = useT();
  return (
    <Field label={label}>
      {(control) => (
        <span className={styles.slider}>
          <input
            {...control}
            type="range"
            {...{ min, max, step, value }}
            onChange={(event) => onChange(Number(event.target.value))}
          />
          <output htmlFor={control.id}>{t('explorerDialogs.view.px', { count: value })}</output>
        </span>
      )}
    </Field>
  );
}

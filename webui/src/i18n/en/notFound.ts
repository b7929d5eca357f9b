const notFound = {
  title: 'Page not found',
  body: 'There is nothing at this address. Check the link for typing errors.',
  links: 'Where to go from here',
  returning:
    'Back to the home page in %{smart_count} second. |||| Back to the home page in %{smart_count} seconds.',
  stay: 'Stay here',
};

export default notFound;
